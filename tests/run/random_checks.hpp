// This file measures how far drawn numbers are from a distribution. Keys are fixed, so that a test that passes once passes
// always; a bound is what one draw in a thousand, or fewer, exceeds.
#pragma once

#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace tx::testing {

template <class A> std::vector<double> as_doubles(A const& drawn) {
    auto const all = cast<double>(drawn);
    return std::vector<double>(all.begin(), all.end());
}
// Are they equal up to a few roundings?
template <class A, class B> bool close(A const& a, B const& b) {
    return all(abs(cast<double>(a) - cast<double>(b)) <= 1e-5 * (1 + abs(cast<double>(b)))).item();
}
// Gives the distance of Kolmogorov and Smirnov: the largest distance between the distribution and that of the numbers, times
// sqrt(n).
template <class A, class F> double distance_from(A const& drawn, F cumulative) {
    std::vector<double> x = as_doubles(drawn);
    std::sort(x.begin(), x.end());
    double const n = static_cast<double>(x.size());
    double most = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        double const c = cumulative(x[i]), before = static_cast<double>(i) / n, behind = static_cast<double>(i + 1) / n;
        most = std::max({most, c - before, behind - c});
    }
    return most * std::sqrt(n);
}
inline constexpr double most_distance = 1.95;
template <class A> void check_moments(A const& drawn, double mean, double variance, double fourth) {
    std::vector<double> const x = as_doubles(drawn);
    double const n = static_cast<double>(x.size());
    double first = 0, second = 0;
    for (double const v : x) first += v / n;
    for (double const v : x) second += (v - mean) * (v - mean) / n;
    CAPTURE(first);
    CAPTURE(second);
    CHECK(std::abs(first - mean) < 3.5 * std::sqrt(variance / n));
    CHECK(std::abs(second - variance) < 3.5 * std::sqrt((fourth - variance * variance) / n));
}
inline double normal_cumulative(double x) { return 0.5 * std::erfc(-x * 0.70710678118654752440); }

// Checks that static functions, traces at run time, open shapes and eager calls give the same up to a few roundings.
template <class F, class A> void check_everywhere(F const& f, A const& a, double tolerance) {
    auto const want = as_doubles(f(a));
    auto const near = [&](auto const& got) {
        auto const x = as_doubles(got);
        REQUIRE(x.size() == want.size());
        double most = 0;
        for (std::size_t i = 0; i < x.size(); ++i) most = std::max(most, std::abs(x[i] - want[i]) / (1 + std::abs(want[i])));
        CHECK(most <= tolerance);
    };
    tx::function const known{f};
    static_assert(decltype(known)::is_static);
    near(known(a));
    int const kept = 1;
    near(tx::function{[f, kept](auto const& x) {
        static_cast<void>(kept);
        return f(x);
    }}(a));
}

} // namespace tx::testing
