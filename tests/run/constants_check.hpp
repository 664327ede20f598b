// This file compares tensors that a callable makes itself: the compiler's with those of eager calls.
#pragma once

#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

namespace tx::testing {

template <class Make> void check_constants(Make make) {
    tx::static_function const traced{[](auto x) {
        return std::apply([&](auto const&... part) { return std::tuple(x, part...); }, Make{}());
    }};
    auto const got = traced(tx::tensor<float, tx::shape<>>(1.0f));
    auto const want = make();
    [&]<std::size_t... I>(std::index_sequence<I...>) {
        (
            [&] {
                CAPTURE(I);
                CAPTURE(tx::to_string(std::get<I + 1>(got)));
                CHECK(tx::equal(std::get<I + 1>(got), std::get<I>(want)));
            }(),
            ...);
    }(std::make_index_sequence<std::tuple_size_v<decltype(want)>>{});
}

} // namespace tx::testing
