// This file checks first and second derivatives of functions with loops and branches, by tapes and forward accumulators on
// tensors, around functions, and within them.
#pragma once

#include <run/ways_to_run.hpp>

namespace tx::testing {

// Checks that f(x) has this gradient, and that `second` is the gradient's change along a step of ones.
template <class F, class X, class Y> void check_tapes(F const& f, X const& x, Y const& gradient, Y const& second) {
    auto const along = sum(gradient);
    auto const ones = ones_like(x);
    auto const by_tape = [&](auto const& g, auto const& a) {
        gradient_tape tape;
        tape.watch(a);
        auto const y = g(a);
        return tape.gradient(y, a);
    };
    auto const by_accumulator = [&](auto const& g) {
        forward_accumulator accumulator{{x, ones}};
        auto const y = g(x);
        return accumulator.jvp(y);
    };
    function const known{f};
    auto const traced = traced_at_run_time(f);
    CHECK(near(by_tape(f, x), gradient));
    CHECK(near(by_tape(known, x), gradient));
    CHECK(near(by_tape(traced, x), gradient));
    CHECK(near(by_accumulator(f), along));
    CHECK(near(by_accumulator(known), along));
    CHECK(near(by_accumulator(traced), along));
    {
        eager_runs const eager;
        CHECK(near(by_tape(traced, x), gradient));
    }
    auto const slope = [&](auto const& a) { return by_tape(f, a); };
    CHECK(near(by_tape(slope, x), second));
    CHECK(near(by_tape(tx::grad(f), x), second));
    CHECK(near(by_accumulator(slope), second));
    auto const within = traced_at_run_time([f](auto const& a) {
        gradient_tape tape;
        tape.watch(a);
        auto const y = f(a);
        return tape.gradient(y, a);
    });
    CHECK(near(within(x), gradient));
    CHECK(near(tx::grad([&](auto const& a) { return sum(within(a)); })(x), second));
}

} // namespace tx::testing
