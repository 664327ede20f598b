// This file tests joins and pads of slices of tensors, which are copied from where they are, against indices written out.
#include "kinds_of_traces.hpp"

#include <doctest/doctest.h>

using tx::dyn;
using tx::shape;
using tx::tensor;
using tx::testing::in_both_traces;

namespace {

template <class T, std::int64_t... N> tensor<T, shape<N...>> numbered(shape<N...>) {
    tensor<T, shape<N...>> out;
    for (std::int64_t i = 0; i < out.size(); ++i) out.mutable_data()[i] = static_cast<T>(i + 1);
    return out;
}
template <class Result, class Rule>
void check(Result const& result, std::int64_t rows, std::int64_t columns, Rule const& expected) {
    REQUIRE(result.size() == rows * columns);
    for (std::int64_t i = 0; i < rows; ++i)
        for (std::int64_t j = 0; j < columns; ++j) CHECK(result(i, j) == expected(i, j));
}

constexpr auto rolled = [](auto x) { return tx::roll<-1>(tx::roll<2>(x, tx::axis<1>), tx::axis<0>); };
// A part with steps, one of whole rows, one that is computed, one of nothing.
constexpr auto joined = [](auto x) {
    auto const steps = tx::slice(x, tx::range<tx::open, tx::open, 2>, tx::range<1, 3>);
    auto const turned = tx::slice(x, tx::range<tx::open, tx::open, -2>, tx::range<0, 2>);
    auto const none = tx::slice(x, tx::range<0, 0>, tx::range<2, 4>);
    return tx::concat(tx::axis<0>, steps, turned, none, tx::slice(x + x, tx::range<0, 1>, tx::range<3, 5>));
};
constexpr auto padded = [](auto x) {
    return tx::pad(tx::slice(x, tx::range<1, 3>, tx::range<2, 5>), tx::widths<1, 2, 0, 1>);
};
constexpr auto stacked = [](auto x) {
    return tx::stack(tx::axis<1>, tx::slice(x, tx::range<0, 2>, tx::range<1, 3>), tx::slice(x, tx::range<2, 4>, tx::range<2, 4>));
};

template <class T, class Shape> void check_all() {
    tensor<T, Shape> const x = numbered<T>(shape<4, 6>{});
    auto const at = [](std::int64_t i, std::int64_t j) { return static_cast<T>(i * 6 + j + 1); };
    in_both_traces(rolled,
                   [&](auto const& f) { check(f(x), 4, 6, [&](auto i, auto j) { return at((i + 1) % 4, (j + 4) % 6); }); });
    in_both_traces(joined, [&](auto const& f) {
        check(f(x), 5, 2, [&](auto i, auto j) {
            return i < 2 ? at(2 * i, j + 1) : i < 4 ? at(3 - 2 * (i - 2), j) : static_cast<T>(at(0, j + 3) + at(0, j + 3));
        });
    });
    in_both_traces(padded, [&](auto const& f) {
        check(f(x), 5, 4, [&](auto i, auto j) { return i >= 1 && i < 3 && j < 3 ? at(i, j + 2) : T{}; });
    });
    in_both_traces(stacked, [&](auto const& f) {
        auto const y = f(x);
        REQUIRE(y.size() == 8);
        for (std::int64_t i = 0; i < 2; ++i)
            for (std::int64_t j = 0; j < 2; ++j) CHECK((y(i, 0, j) == at(i, j + 1) && y(i, 1, j) == at(i + 2, j + 2)));
    });
}

} // namespace

TEST_CASE_TEMPLATE("joined slices: known and open extents", T, double, std::int8_t, tx::half) {
    check_all<T, shape<4, 6>>();
    check_all<T, shape<dyn, dyn>>();
}

TEST_CASE("joined slices: more than what is kept in a cache, along each axis") {
    auto const x = numbered<float>(shape<3, 700, 9>{});
    auto const at = [](std::int64_t i, std::int64_t j, std::int64_t k) { return static_cast<float>((i * 700 + j) * 9 + k + 1); };
    in_both_traces([](auto a) { return tx::roll<5>(a, tx::axis<2>); },
                   [&](auto const& f) {
                       auto const y = f(x);
                       for (std::int64_t i = 0; i < 3; ++i)
                           for (std::int64_t j = 0; j < 700; ++j)
                               for (std::int64_t k = 0; k < 9; ++k) REQUIRE(y(i, j, k) == at(i, j, (k + 4) % 9));
                   });
    in_both_traces([](auto a) { return tx::roll<-300>(a, tx::axis<1>); },
                   [&](auto const& f) {
                       auto const y = f(x);
                       for (std::int64_t i = 0; i < 3; ++i)
                           for (std::int64_t j = 0; j < 700; ++j)
                               for (std::int64_t k = 0; k < 9; ++k) REQUIRE(y(i, j, k) == at(i, (j + 300) % 700, k));
                   });
}
