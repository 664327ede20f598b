// This file runs one callable in all the ways in which it may be called: those of kinds_of_traces.hpp, and eagerly.
#pragma once

#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>
#include <run/kinds_of_traces.hpp>

#include <cmath>
#include <tuple>
#include <utility>

namespace tx::testing {

// While this object lives, functions that are traced at run time call their callables at each call.
struct eager_runs {
    eager_runs() { run_eagerly(true); }
    eager_runs(eager_runs const&) = delete;
    eager_runs& operator=(eager_runs const&) = delete;
    ~eager_runs() { run_eagerly(false); }
};

// Gives f as traced when it is called.
template <class F> auto traced_at_run_time(F const& f) {
    return function{[f, kept = 1](auto const&... a) {
        static_cast<void>(kept);
        return f(a...);
    }};
}
template <class F, class Check> void when_traced(F const& f, Check check) { check(traced_at_run_time(f)); }
template <class F, class Check> void in_run_time_ways(F const& f, Check check) {
    auto const traced = traced_at_run_time(f);
    {
        INFO("traced at run time");
        check(traced);
    }
    eager_runs const eager;
    INFO("run eagerly");
    check(traced);
}
// Checks f as a static function, traced at run time, run eagerly, and on tensors.
template <class F, class Check> void in_every_way(F const& f, Check check) {
    function const known{f};
    static_assert(decltype(known)::is_static);
    {
        INFO("static");
        check(known);
    }
    in_run_time_ways(f, check);
    INFO("on tensors");
    check(f);
}

template <class A, class B> bool near(A const& a, B const& b, double tolerance = 1e-9) {
    return all(abs(cast<double>(a) - cast<double>(b)) <= tolerance * (1 + abs(cast<double>(b)))).item();
}

} // namespace tx::testing
