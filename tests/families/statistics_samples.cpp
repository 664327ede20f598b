// This file tests unwrap and histogram2d against NumPy 2.4.
#include <tracexpr/statistics.hpp>

#include <family_checks.hpp>

#include <limits>

namespace {

using tx::testing::check_in_all_forms;
using tx::testing::check_open_rank;
using tx::testing::difference;
template <int... N> using doubles = tx::tensor<double, tx::shape<N...>>;
using integers = tx::tensor<std::int64_t, tx::shape<6>>;
constexpr double pi = 3.141592653589793, NaN = std::numeric_limits<double>::quiet_NaN();
doubles<6> const a{0, 2, 5, 9, 3, -4};

} // namespace

TEST_CASE("unwrap: periods, discontinuities, integers") {
    check_in_all_forms([](auto const& x) { return tx::unwrap(x); },
                       doubles<6>{0, 2, 5, 2.7168146928204138, 3, 2.2831853071795862}, 1e-15, 1e-15, a);
    check_open_rank([](auto const& x) { return tx::unwrap(x, 4, 3); }, doubles<6>{0, 2, 1, 1, -1, 0}, 0, 0, a);
    integers const whole{0, 5, 3, 9, 12, 13};
    check_in_all_forms([](auto const& x) { return tx::unwrap(x, 4); }, integers{0, 1, -1, 1, 0, 1}, 0, 0, whole);
    CHECK(difference(tx::unwrap(whole, 5), integers{0, 0, -2, -1, -3, -2}, 0) == "");
    static_assert(std::is_same_v<decltype(tx::unwrap(whole)), doubles<6>>);
    CHECK(difference(tx::unwrap(doubles<3, 2>{{0, 3}, {pi, -3}, {2 * pi, 3}}, tx::axis<0>),
                     doubles<3, 2>{{0, 3}, {pi, 3.2831853071795862}, {2 * pi, 3}}, 1e-15) == "");
    CHECK(difference(tx::unwrap(doubles<5>{0, pi, 0, -pi, 4}), doubles<5>{0, pi, 0, -pi, -2.2831853071795862}, 1e-15) == "");
    CHECK(tx::unwrap(tx::tensor<double, tx::shape<tx::dyn>>(0)).size() == 0);
    CHECK(difference(tx::unwrap(doubles<1>{9}), doubles<1>{9}, 0) == "");
    CHECK(std::isnan(tx::unwrap(doubles<2>{0, NaN})(1)));
    tx::check_gradients([](auto const& x, auto const& p) { return tx::sum(tx::sin(tx::unwrap(x, p))); }, a, doubles<>(6.1));
}
TEST_CASE("histogram2d: counts, weights, edges") {
    doubles<8> const x{0.1, 0.5, 0.9, 1, 0, 0.5, -1, NaN}, y{0, 1, 2, 2, 1.9, -0.1, 1, 1};
    tx::tensor<std::int64_t, tx::shape<2, 4>> const wanted{{1, 0, 0, 1}, {0, 0, 1, 2}};
    check_in_all_forms([](auto const& u, auto const& v) { return std::get<0>(tx::histogram2d<2, 4>(u, v, 0, 1, 0, 2)); }, wanted, 0, 0, x, y);
    auto const [sums, x_edges, y_edges] = tx::histogram2d<2, 4>(x, y, 0, 1, 0, 2, tx::arange<double, 8>());
    CHECK(difference(sums, doubles<2, 4>{{0, 0, 0, 4}, {0, 0, 1, 5}}, 0) == "");
    CHECK(difference(x_edges, doubles<3>{0, 0.5, 1}, 0) == "");
    CHECK(difference(y_edges, doubles<5>{0, 0.5, 1, 1.5, 2}, 0) == "");
    CHECK(difference(std::get<1>(tx::histogram2d<1, 1>(x, y, 2, 2, 0, 1)), doubles<2>{1.5, 2.5}, 0) == "");
    auto const of_integers = std::get<0>(tx::histogram2d<2, 1>(tx::tensor<int, tx::shape<3>>{0, 1, 1}, tx::tensor<int, tx::shape<3>>{0, 0, 5}, 0, 1.5, 0, 1));
    CHECK(difference(of_integers, tx::tensor<std::int64_t, tx::shape<2, 1>>{{1}, {1}}, 0) == "");
    CHECK_THROWS_AS(static_cast<void>(tx::histogram2d<2, 2>(x, y, 1, 0, 0, 1)), tx::error);
}
