// This file holds what the tests of the places of computed values' extremes share; it compares them with plain loops.
#pragma once

#include <tracexpr/tracexpr.hpp>
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace places_of_extremes {

using tx::axis, tx::shape, tx::tensor;

template <class T> constexpr bool is_nan(T x) { return x != x; }

// Gives few different numbers, so that extremes occur several times.
template <class T, class Shape, class... N> tensor<T, Shape> numbers(int seed, N... extents) {
    auto out = tx::zeros<T, Shape>(extents...);
    for (std::int64_t k = 0; k < out.size(); ++k) out.mutable_data()[k] = static_cast<T>((k * 37 + seed * 11 + k / 7) % 13);
    return out;
}
// Gives the place of the first NaN of a row, or else of the first extreme.
template <bool Greatest, class T> std::int64_t place(T const* x, std::int64_t n, std::int64_t step) {
    std::int64_t at = 0;
    for (std::int64_t i = 1; i < n && !is_nan(x[at * step]); ++i)
        if (is_nan(x[i * step]) || (Greatest ? x[i * step] > x[at * step] : x[i * step] < x[at * step])) at = i;
    return at;
}

constexpr auto extremes_along = [](auto x, auto y, auto along) {
    auto const least = tx::argmin(x + y, along);
    return std::tuple{least, tx::argmax(x * y, along), tx::max(x * y, along)};
};
// Gives how many of the results over the last axis, and over the first, differ.
template <class Last, class First, class X, class Y>
int wrong_places(Last const& last, First const& first, X const& x, Y const& y) {
    using T = typename X::value_type;
    std::int64_t const n = x.extent(0), m = x.extent(1);
    std::vector<T> sum, product;
    for (std::int64_t k = 0; k < n * m; ++k) {
        sum.push_back(static_cast<T>(x.data()[k] + y.data()[k]));
        product.push_back(static_cast<T>(x.data()[k] * y.data()[k]));
    }
    int wrong = 0;
    auto const [least, most, largest] = last(x, y);
    for (std::int64_t i = 0; i < n; ++i) {
        std::int64_t const at = place<true>(&product[static_cast<std::size_t>(i * m)], m, 1);
        T const here = product[static_cast<std::size_t>(i * m + at)];
        wrong += least.data()[i] != place<false>(&sum[static_cast<std::size_t>(i * m)], m, 1);
        wrong += most.data()[i] != at;
        wrong += !(largest.data()[i] == here || (is_nan(largest.data()[i]) && is_nan(here)));
    }
    auto const [least_down, most_down, largest_down] = first(x, y);
    for (std::int64_t j = 0; j < m; ++j) {
        wrong += least_down.data()[j] != place<false>(&sum[static_cast<std::size_t>(j)], n, m);
        wrong += most_down.data()[j] != place<true>(&product[static_cast<std::size_t>(j)], n, m);
    }
    return wrong;
}
constexpr auto over_last = [](auto x, auto y) { return extremes_along(x, y, axis<1>); };
constexpr auto over_first = [](auto x, auto y) { return extremes_along(x, y, axis<0>); };

template <class T, std::int64_t N, std::int64_t M, class Last, class First>
void check_extents(Last const& last, First const& first) {
    CAPTURE(N);
    CAPTURE(M);
    auto x = numbers<T, shape<N, M>>(1);
    auto const y = numbers<T, shape<N, M>>(2);
    CHECK(wrong_places(last, first, x, y) == 0);
    if constexpr (std::is_floating_point_v<T>) {
        constexpr T nan = std::numeric_limits<T>::quiet_NaN(), inf = std::numeric_limits<T>::infinity();
        for (std::int64_t k = 0; k < x.size(); ++k)
            if (k % 11 == 5) x.mutable_data()[k] = nan;
        CHECK(wrong_places(last, first, x, y) == 0);
        for (std::int64_t k = 0; k < x.size(); ++k) x.mutable_data()[k] = k % 5 == 0 ? -inf : inf;
        CHECK(wrong_places(last, first, x, y) == 0);  // infinity times 0 is NaN
        for (std::int64_t k = 0; k < x.size(); ++k) x.mutable_data()[k] = k < x.size() / 2 ? inf : -inf;
        CHECK(wrong_places(last, first, x, numbers<T, shape<N, M>>(2) + T(1)) == 0);
    } else {
        for (std::int64_t k = 0; k < x.size(); ++k) x.mutable_data()[k] = std::numeric_limits<T>::max();
        CHECK(wrong_places(last, first, x, tx::zeros<T, shape<N, M>>() + T(1) - T(1)) == 0);
    }
}

// Checks the functions on tiles, and with known extents as kernels.
template <class T, std::int64_t N, std::int64_t M> void check_extents() {
    T const zero = 0;
    check_extents<T, N, M>(tx::static_function{over_last}, tx::static_function{over_first});
    check_extents<T, N, M>(tx::function{[=](auto x, auto y) { return over_last(x + zero, y); }},
                           tx::function{[=](auto x, auto y) { return over_first(x, y + zero); }});
}

} // namespace places_of_extremes
