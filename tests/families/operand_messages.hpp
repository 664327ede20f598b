// This file gets the messages of functions composed of several ops about operands that don't fit.
#pragma once

#include <tracexpr/tracexpr.hpp>
#include <doctest/doctest.h>

#include <string>

namespace tx::testing {

using vec = tx::tensor<double, tx::shape<tx::dyn>>;
using matrix = tx::tensor<double, tx::shape<tx::dyn, tx::dyn>>;
// Gives the error's text.
template <class F, class... A> std::string message(F const& f, A const&... a) {
    try {
        static_cast<void>(f(a...));
    } catch (tx::error const& e) {
        return e.what();
    }
    return "none";
}
// Checks the message of a call at once, traced by the compiler and at run time, and for one example of a batch.
template <class F, class... A> void check_all_forms(char const* text, F const& f, A const&... a) {
    CHECK(message(f, a...) == text);
    CHECK(message(tx::function{f}, a...) == text);
    CHECK(message(tx::vmap(f), tx::stack(tx::axis<0>, a, a)...) == text);
    int const captured = 0;
    auto const at_run_time = [f, captured](auto const&... x) {
        static_cast<void>(captured);
        return f(x...);
    };
    CHECK(message(tx::function{at_run_time}, a...) == text);
}

} // namespace tx::testing
