// This file tests average, gradient, trapezoid and cumulative_trapezoid against NumPy 2.4 and SciPy.
#include <tracexpr/statistics.hpp>

#include <family_checks.hpp>

#include <limits>

namespace {

using tx::testing::check_in_all_forms;
using tx::testing::check_open_rank;
using tx::testing::difference;
template <int... N> using doubles = tx::tensor<double, tx::shape<N...>>;

doubles<3, 4> const x{{3, 1, 7, 2}, {9, 4, 6, 8}, {5, 0, -1, 2.5}};
doubles<4> const weights{1, 2, 0.5, 3}, places{0, 1, 1.5, 4};
constexpr double infinity = std::numeric_limits<double>::infinity();

} // namespace

TEST_CASE("average: weights of the axis, of x, and none") {
    check_in_all_forms([](auto const& a, auto const& w) { return tx::average(a, w, tx::axis<1>); },
                       doubles<3>{2.230769230769231, 6.769230769230769, 1.8461538461538463}, 1e-15, 0, x, weights);
    check_open_rank([](auto const& a) { return tx::average(a, a * a); }, doubles<>(6.979041916167665), 1e-15, 0, x);
    CHECK(difference(tx::average(x, tx::tensor<int, tx::shape<3>>{1, 2, 3}, tx::axis<0>, tx::keepdims),
                     doubles<1, 4>{{6, 1.5, 2.6666666666666665, 4.25}}, 1e-15) == "");
    CHECK(tx::average(x).item() == doctest::Approx(46.5 / 12));
    CHECK(difference(tx::average(x, tx::axis<1>), tx::mean(x, tx::axis<1>), 0) == "");
    CHECK(tx::average(tx::tensor<bool, tx::shape<2>>{true, false}, tx::tensor<int, tx::shape<2>>{1, 2}).item() == 1 / 3.0);
    CHECK(std::isnan(tx::average(doubles<2>{0, 0}, doubles<2>{1, -1}).item()));
    CHECK(tx::average(doubles<2>{2, 1}, doubles<2>{1, -1}).item() == infinity);
    CHECK(tx::average(tx::tensor<tx::half, tx::shape<2>>{tx::half(60000.0f), tx::half(60000.0f)}, tx::tensor<tx::half, tx::shape<2>>{tx::half(1.0f), tx::half(3.0f)}).item() == tx::half(60000.0f));
    using complexes = tx::tensor<std::complex<double>, tx::shape<2>>;
    CHECK(tx::average(complexes{{0, 1}, {4, 0}}, doubles<2>{1, 3}).item() == std::complex<double>(3, 0.25));
    CHECK_THROWS_AS(static_cast<void>(tx::average(tx::tensor<double>(x), tx::tensor<double>(weights), tx::axis<0>)), tx::shape_error);
    tx::check_gradients([](auto const& a, auto const& w) { return tx::sum(tx::square(tx::average(a, w, tx::axis<1>))); }, x, weights);
}
TEST_CASE("trapezoid: 1 apart, a number apart, at places") {
    check_in_all_forms([](auto const& y) { return tx::trapezoid(y); }, doubles<3>{10.5, 18.5, 2.75}, 0, 0, x);
    check_in_all_forms([](auto const& y, auto const& p) { return tx::trapezoid(y, p, tx::axis<1>); }, doubles<3>{15.25, 26.5, 4.125}, 1e-15, 0, x, places);
    CHECK(difference(tx::trapezoid(x, 0.5, tx::axis<0>), doubles<4>{6.5, 2.25, 4.5, 5.125}, 0) == "");
    check_open_rank([](auto const& y) { return tx::trapezoid(y, y * y, tx::axis<1>); }, doubles<3>{-26.5, -126.5, -59.0625}, 1e-15, 0, x);
    CHECK(tx::trapezoid(tx::tensor<bool, tx::shape<3>>{true, true, false}).item() == 1.5);
    CHECK(tx::trapezoid(tx::tensor<std::uint8_t, tx::shape<2>>{200, 200}, 2).item() == 400);
    CHECK(tx::trapezoid(doubles<1>{5}).item() == 0);
    CHECK(tx::trapezoid(tx::tensor<double, tx::shape<tx::dyn>>(0)).item() == 0);
    tx::check_gradients([](auto const& y, auto const& p) { return tx::sum(tx::sin(tx::trapezoid(y, p))); }, x, places);
}
TEST_CASE("cumulative_trapezoid") {
    check_in_all_forms([](auto const& y, auto const& p) { return tx::cumulative_trapezoid(y, p); },
                       doubles<3, 3>{{2, 4, 15.25}, {6.5, 9, 26.5}, {2.5, 2.25, 4.125}}, 1e-15, 0, x, places);
    doubles<3, 4> const from_zero{{0, 0, 0, 0}, {12, 5, 13, 10}, {26, 9, 18, 20.5}};
    check_in_all_forms([](auto const& y) { return tx::cumulative_trapezoid(y, 2, tx::axis<0>, tx::initial_zero); }, from_zero, 0, 0, x);
    CHECK(difference(tx::cumulative_trapezoid(x, tx::axis<0>), doubles<2, 4>{{6, 2.5, 6.5, 5}, {13, 4.5, 9, 10.25}}, 0) == "");
    CHECK(tx::cumulative_trapezoid(doubles<1>{5}).size() == 0);
    CHECK(difference(tx::cumulative_trapezoid(doubles<1>{5}, tx::initial_zero), doubles<1>{0}, 0) == "");
    tx::check_gradients([](auto const& y, auto const& p) { return tx::sum(tx::sin(tx::cumulative_trapezoid(y, p, tx::initial_zero))); }, x, places);
}
TEST_CASE("gradient: even and uneven places, both edge orders") {
    doubles<3, 4> const down{{6, 3, -1, 6}, {1, -0.5, -4, 0.25}, {-4, -4, -7, -5.5}}, along{{-2, 2, 0.5, -5}, {-5, -1.5, 2, 2}, {-5, -3, 1.25, 3.5}};
    auto const [d0, d1] = tx::gradient(x);
    CHECK(difference(d0, down, 0) == "");
    CHECK(difference(d1, along, 0) == "");
    check_in_all_forms([](auto const& f, auto const& p) { return tx::gradient(f, p, tx::axis<1>, tx::edge_order<2>); },
                       doubles<3, 4>{{-11.333333333333332, 7.333333333333332, 9.666666666666668, -13.666666666666668},
                                     {-11, 1, 3.4666666666666677, -1.8666666666666654},
                                     {-7, -3, -1.4333333333333333, 4.233333333333333}}, 1e-14, 0, x, places);
    CHECK(difference(tx::gradient(x, places, tx::axis<-1>),
                     doubles<3, 4>{{-2, 7.333333333333332, 9.666666666666668, -2}, {-5, 1, 3.4666666666666677, 0.8}, {-5, -3, -1.4333333333333333, 1.4}}, 1e-14) == "");
    check_in_all_forms([](auto const& f) { return tx::gradient(f, 0.5, tx::edge_order<2>).first; },
                       doubles<3, 4>{{22, 13, 4, 23.5}, {2, -1, -8, 0.5}, {-18, -15, -20, -22.5}}, 1e-14, 0, x);
    check_open_rank([](auto const& f) { return tx::gradient(f, tx::axis<0>); }, down, 0, 0, x);
    CHECK(difference(std::get<1>(tx::gradient(x, 2, places)), tx::gradient(x, places, tx::axis<1>), 0) == "");
    CHECK(difference(std::get<0>(tx::gradient(x, 1, 2, tx::axis<1, 0>)), along, 0) == "");
    CHECK(difference(tx::gradient(tx::tensor<std::uint8_t, tx::shape<3>>{9, 4, 1}), doubles<3>{-5, -4, -3}, 0) == "");
    CHECK(difference(tx::gradient(tx::tensor<double, tx::shape<2>>{1, 4}, 2), doubles<2>{1.5, 1.5}, 0) == "");
    CHECK_THROWS_AS(static_cast<void>(tx::gradient(tx::tensor<double>(doubles<1>{1}), tx::axis<0>)), tx::shape_error);
}
TEST_CASE("gradient: derivatives") {
    tx::check_gradients([](auto const& f, auto const& p) { return tx::sum(tx::sin(0.1 * tx::gradient(f, p, tx::axis<1>, tx::edge_order<2>))); }, x, places);
    tx::check_gradients([](auto const& f) { return tx::sum(tx::sin(0.1 * tx::gradient(f, 0.5, tx::axis<0>))); }, x);
}
