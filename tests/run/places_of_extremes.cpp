// This file tests places of the extremes of computed values: loops find them, in vectors along or across the axis.
#include "places_of_extremes_checks.hpp"

using namespace places_of_extremes;
using tx::dyn, tx::expand_dims;

namespace {

constexpr auto nearest = [](auto points, auto centres) {
    auto const apart = tx::sum(tx::square(expand_dims<1>(points) - expand_dims<0>(centres)), axis<2>);
    return std::tuple{tx::argmin(apart, axis<1>), tx::argmin(apart + 1, axis<1>) * 2};
};
template <class P, class C> int wrong_nearest(P const& points, C const& centres) {
    auto const [at, twice] = tx::function{nearest}(points, centres);
    std::int64_t const n = points.extent(0), k = centres.extent(0), d = points.extent(1);
    int wrong = 0;
    for (std::int64_t i = 0; i < n; ++i) {
        std::vector<float> apart(static_cast<std::size_t>(k), 0.0f);
        for (std::int64_t j = 0; j < k; ++j)
            for (std::int64_t e = 0; e < d; ++e) {
                float const by = points.data()[i * d + e] - centres.data()[j * d + e];
                apart[static_cast<std::size_t>(j)] += by * by;
            }
        std::int64_t const want = place<false>(apart.data(), k, 1);
        wrong += (at.data()[i] != want) + (twice.data()[i] != 2 * want);
    }
    return wrong;
}

} // namespace

TEST_CASE("places of extremes: rows and columns of all lengths") {
    check_extents<float, 1, 2>();
    check_extents<float, 2, 1>();
    check_extents<float, 3, 7>();
    check_extents<float, 17, 16>();
    check_extents<float, 40, 33>();
}
TEST_CASE("places of extremes: long rows, whose blocks meet in a cascade") {
    check_extents<float, 5, 9000>();
    check_extents<float, 2500, 3>();
}
TEST_CASE("places of extremes: the nearest of some points") {
    auto const points = numbers<float, shape<300, 3>>(3);
    auto const centres = numbers<float, shape<70, 3>>(4);
    CHECK(wrong_nearest(points, centres) == 0);
    for (std::int64_t n : {1, 2, 15, 16, 17, 100, 0}) {
        CAPTURE(n);
        CHECK(wrong_nearest(numbers<float, shape<dyn, 3>>(3, n, 3), centres) == 0);
    }
    CHECK(wrong_nearest(numbers<float, shape<dyn, dyn>>(3, 40, 5), numbers<float, shape<dyn, dyn>>(4, 9, 5)) == 0);
}
TEST_CASE("places of extremes: all extents unknown, an axis of nothing among them") {
    tx::static_function const last{over_last};
    tx::static_function const first{over_first};
    for (std::int64_t n : {40, 1, 3, 17, 200})
        for (std::int64_t m : {33, 1, 2, 16, 700}) {
            CAPTURE(n);
            CAPTURE(m);
            CHECK(wrong_places(last, first, numbers<float, shape<dyn, dyn>>(1, n, m), numbers<float, shape<dyn, dyn>>(2, n, m)) ==
                  0);
        }
    auto const nothing = numbers<float, shape<dyn, dyn>>(1, 5, 0);
    CHECK_THROWS_AS(last(nothing, nothing), tx::shape_error);
    CHECK(tx::function{[](auto x) { return tx::argmax(x * 2, axis<1>); }}(numbers<float, shape<dyn, dyn>>(1, 0, 5)).size() == 0);
}
TEST_CASE("places of extremes: beside a softmax of the same rows, and of what is turned round") {
    auto const x = numbers<float, shape<50, 40>>(5);
    auto const [p, at, turned] = tx::function{[](auto v) {
        auto const e = tx::softmax(v, axis<1>);
        return std::tuple{e, tx::argmax(v * 2, axis<1>), tx::argmax(tx::transpose(v) - 1, axis<1>)};
    }}(x);
    int wrong = 0;
    for (std::int64_t i = 0; i < 50; ++i) wrong += at.data()[i] != place<true>(x.data() + i * 40, 40, 1);
    for (std::int64_t j = 0; j < 40; ++j) wrong += turned.data()[j] != place<true>(x.data() + j, 50, 40);
    CHECK(wrong == 0);
    CHECK(tx::sum(p).item() == doctest::Approx(50));
}
TEST_CASE("places of extremes: of three axes the middle one, in a function that threads share") {
    auto const x = numbers<double, shape<40, 30, 50>>(6);
    tx::static_function const places{[](auto v) { return tx::argmax(v * v - v, axis<1>); }};
    auto const alone = places(x), shared = tx::on(tx::cpu{3}, [](auto v) { return tx::argmax(v * v - v, axis<1>); })(x);
    int wrong = 0;
    for (std::int64_t i = 0; i < 40; ++i)
        for (std::int64_t k = 0; k < 50; ++k) {
            std::vector<double> values;
            for (std::int64_t j = 0; j < 30; ++j) {
                double const v = x.data()[(i * 30 + j) * 50 + k];
                values.push_back(v * v - v);
            }
            std::int64_t const want = place<true>(values.data(), 30, 1);
            wrong += (alone.data()[i * 50 + k] != want) + (shared.data()[i * 50 + k] != want);
        }
    CHECK(wrong == 0);
}
