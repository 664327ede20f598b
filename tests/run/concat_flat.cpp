// This file tests concat without an axis, which gives all elements one after the other.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

using tx::dyn;
using tx::shape;
using tx::tensor;

namespace {
tensor<float, shape<2, 2>> const square{{1, 2}, {3, 4}};
tensor<float, shape<3>> const vec{5, 6, 7};
tensor<float, shape<>> const number(8);
} // namespace

TEST_CASE("concat: without an axis shapes may differ") {
    auto const all = tx::concat(square, vec, number);
    static_assert(std::is_same_v<decltype(all), tensor<float, shape<8>> const>);
    CHECK(tx::equal(all, tensor<float>{1, 2, 3, 4, 5, 6, 7, 8}));
    CHECK(tx::equal(tx::concat(square), tensor<float>{1, 2, 3, 4}));
    // numpy.concatenate((i, d), axis=None).dtype is float64
    CHECK(tx::equal(tx::concat(tensor<int, shape<1, 2>>{{1, 2}}, tensor<double, shape<1>>{0.5}), tensor<double>{1, 2, 0.5}));
    CHECK(tx::equal(tx::concat(tensor<std::string, shape<1>>{"a"}, tensor<std::string, shape<1, 2>>{{"b", "c"}}),
                    tensor<std::string>{"a", "b", "c"}));
    tensor<float, shape<dyn, 2>> const open = square;
    tensor<float> const unknown = vec;
    CHECK(tx::equal(tx::concat(open, unknown), tensor<float>{1, 2, 3, 4, 5, 6, 7}));
    CHECK(tx::equal(tx::concat(tensor<float, shape<dyn, 2>>(0, 2), vec), vec));
    // What has an axis means what it meant.
    CHECK(tx::equal(tx::concat(std::tuple(square, square)), tx::concat(tx::axis<0>, square, square)));
    CHECK(tx::equal(tx::concat<1>(square, square), tx::concat(tx::axis<1>, square, square)));
}

TEST_CASE("concat: without an axis in functions, and its gradient") {
    tx::function const f{[](auto a, auto b) { return tx::concat(a, b * 2); }};
    CHECK(tx::equal(f(square, vec), tensor<float>{1, 2, 3, 4, 10, 12, 14}));
    constexpr auto weighted = [](auto a, auto b) {
        return tx::sum(tx::concat(a, b) * tensor<float, shape<7>>{1, 2, 3, 4, 5, 6, 7});
    };
    auto const [da, db] = tx::function{tx::grad<0, 1>(weighted)}(square, vec);
    CHECK(tx::equal(da, tensor<float>{{1, 2}, {3, 4}}));
    CHECK(tx::equal(db, tensor<float>{5, 6, 7}));
    CHECK_NOTHROW(tx::check_gradients([](auto a, auto b) { return tx::concat(a * b, b); }, tensor<double, shape<2, 1>>{{1}, {2}},
                                      tensor<double, shape<2>>{3, 4}));
}

TEST_CASE("concat: a list without an axis") {
    std::vector<tensor<float, shape<dyn, dyn>>> const parts{square, tensor<float, shape<1, 3>>{{5, 6, 7}}};
    CHECK(tx::equal(tx::concat(parts), tensor<float>{1, 2, 3, 4, 5, 6, 7}));
    CHECK_THROWS_WITH_AS(tx::concat(std::vector<tensor<float, shape<2>>>{}),
                         doctest::Contains("tx: concat: there must be a tensor; given none"), tx::shape_error);
    tx::function const f{[](auto const& all) { return tx::concat(all); }};
    CHECK(tx::equal(f(parts), tensor<float>{1, 2, 3, 4, 5, 6, 7}));
    auto const gradients = tx::function{tx::grad([](auto const& all) { return tx::sum(tx::square(tx::concat(all))); })}(parts);
    CHECK(tx::equal(gradients[1], tensor<float>{{10, 12, 14}}));
}
