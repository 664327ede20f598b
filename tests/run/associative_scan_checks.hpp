// This file holds what tests of associative_scan share.
#pragma once

#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <tuple>

namespace tx::testing {

inline constexpr auto sums = [](auto x) { return tx::associative_scan([](auto a, auto b) { return a + b; }, x); };
inline constexpr auto sums_back = [](auto x) {
    return tx::associative_scan([](auto a, auto b) { return a + b; }, x, {.reverse = true});
};
// The second part is x_t = a_t x_(t-1) + b_t, from 0.
inline constexpr auto recurrence = [](auto a, auto b) {
    auto const both = tx::associative_scan(
        [](auto l, auto r) {
            return std::tuple(std::get<0>(l) * std::get<0>(r), std::get<1>(l) * std::get<0>(r) + std::get<1>(r));
        },
        std::tuple(a, b));
    return std::get<1>(both);
};
template <class X> void check_sums(X const& x) {
    tx::function const known{sums};
    tx::function const back{sums_back};
    auto const expected = tx::cumsum(x, tx::axis<0>);
    CHECK(tx::equal(known(x), expected));
    CHECK(tx::equal(sums(x), expected));
    CHECK(tx::equal(back(x), tx::flip<0>(tx::cumsum(tx::flip<0>(x), tx::axis<0>))));
}

} // namespace tx::testing
