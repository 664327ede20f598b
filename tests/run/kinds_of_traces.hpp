// This file runs one callable in all the ways in which it may be called.
#pragma once

#include <tracexpr/tracexpr.hpp>

namespace tx::testing {

// Calls check(callable) with f as the compiler traces it, and as a run does.
template <class F, class Check> void in_both_traces(F const& f, Check check) {
    tx::function const known{f};
    static_assert(decltype(known)::is_static);
    int const kept = 1;
    tx::function const traced{[f, kept](auto const&... a) {
        static_cast<void>(kept);
        return f(a...);
    }};
    check(known), check(traced);
}
// Calls check(callable) in both traces, and with f itself for tensors.
template <class F, class Check> void in_all(F const& f, Check check) {
    in_both_traces(f, check);
    check(f);
}

} // namespace tx::testing
