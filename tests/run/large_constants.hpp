// This file checks constants that are too large for a constant evaluation: the function that makes them is static all the same,
// and their elements are, to the bit, those of eager calls.
#pragma once

#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>

namespace tx::testing {

template <class T, class Shape> bool same_bits(tensor<T, Shape> const& a, tensor<T, Shape> const& b) {
    auto const bytes = static_cast<std::size_t>(a.size()) * sizeof(T);
    return a.extents() == b.extents() && (bytes == 0 || std::memcmp(static_cast<void const*>(a.data()), static_cast<void const*>(b.data()), bytes) == 0);
}

// make() gives a tuple of constants.
template <class Make> void check_large_constants(Make make) {
    constexpr auto with_argument = [](auto x) {
        return std::apply([&](auto const&... part) { return std::tuple(x, part...); }, Make{}());
    };
    CHECK(detail::statically_traceable<decltype(with_argument), tensor<float, shape<>>>);
    tx::function const traced{with_argument};
    auto const got = traced(tensor<float, shape<>>(1.0f));
    auto const want = make();
    [&]<std::size_t... I>(std::index_sequence<I...>) {
        (
            [&] {
                CAPTURE(I);
                CHECK(same_bits(std::get<I + 1>(got), std::get<I>(want)));
            }(),
            ...);
    }(std::make_index_sequence<std::tuple_size_v<decltype(want)>>{});
}

} // namespace tx::testing
