// This file holds programs of pairs of points of a few coordinates.
#pragma once

#include <run/blocks_checks.hpp>

namespace tx::testing {

inline constexpr auto apart = [](auto x, auto y) { return tx::expand_dims<1>(x) - tx::expand_dims<0>(y); };
inline constexpr auto nearest = [](auto x, auto y) {
    auto const d = tx::sum(tx::square(apart(x, y)), tx::axis<2>);
    return std::tuple(tx::argmin(d, tx::axis<1>), tx::min(d, tx::axis<0>), tx::sum(tx::sqrt(d)));
};
inline constexpr auto boxes = [](auto x, auto y) {  // several reductions of the same pairs, with and without keeping axes
    auto const d = tx::abs(apart(x, y));
    auto const shares = d / (tx::sum(d, tx::axis<2>, tx::keepdims) + 1);
    return std::tuple(tx::max(d, tx::axis<2>), tx::prod(shares, tx::axis<1>), tx::sum(shares * d, tx::axis<0, 2>), tx::min(d));
};
inline constexpr auto energy = [](auto x, auto y) {
    return tx::sum(tx::rsqrt(tx::sum(tx::square(apart(x, y)), tx::axis<2>) + 0.1));
};
inline constexpr auto shown = [](auto x, auto y) {  // all pairs are a result, which nothing splits
    auto const d = apart(x, y);
    return std::tuple(d, tx::sum(d * d, tx::axis<2>));
};

} // namespace tx::testing
