// This file tests the other kinds of interpolation of interp than linear, against scipy.interpolate.
#include <tracexpr/statistics.hpp>

#include <family_checks.hpp>

#include <limits>

namespace {

using tx::testing::check_in_all_forms;
using tx::testing::difference;
template <int... N> using doubles = tx::tensor<double, tx::shape<N...>>;
using vector = tx::tensor<double, tx::shape<tx::dyn>>;

doubles<6> const xp{0, 1, 1.5, 3, 4, 6}, fp{1, 2, 0, -1, 3, 2};
doubles<7> const x{0, 0.3, 1.25, 1.5, 2, 5.5, 6};

} // namespace

TEST_CASE("interp: nearest and previous points") {
    CHECK(difference(tx::interp(x, xp, fp, tx::interpolation::nearest), doubles<7>{1, 1, 2, 0, 0, 2, 2}, 0) == "");
    CHECK(difference(tx::interp(x, xp, fp, tx::interpolation::previous), doubles<7>{1, 1, 2, 0, 0, 3, 2}, 0) == "");
    CHECK(difference(tx::interp(x, xp, fp, tx::interpolation::linear), tx::interp(x, xp, fp), 0) == "");
    check_in_all_forms([](auto const& a, auto const& b, auto const& c) { return tx::interp(a, b, c, tx::interpolation::nearest, -7, 8); },
                       doubles<2, 2>{{-7, 8}, {2, -1}}, 0, 0, doubles<2, 2>{{-1, 9}, {1, 2.75}}, xp, fp);
    CHECK(tx::interp(7, xp, fp, tx::interpolation::previous).item() == 2);
    CHECK(std::isnan(tx::interp(std::numeric_limits<double>::quiet_NaN(), xp, fp, tx::interpolation::previous).item()));
    CHECK(tx::interp(3, doubles<1>{3}, doubles<1>{5}, tx::interpolation::nearest).item() == 5);
    tx::check_gradients([](auto const& a, auto const& b) { return tx::sum(tx::sin(tx::interp(a, xp, b, tx::interpolation::nearest))); }, x + 0.1, fp);
}
TEST_CASE("interp: cubic splines of any number of points") {
    check_in_all_forms([](auto const& a, auto const& b, auto const& c) { return tx::interp(a, b, c, tx::interpolation::cubic); },
                       doubles<7>{1.0, 2.6561739130434776, 1.0049064009661837, 0.0, -1.3752012882447666, 5.1775362318840585, 2.0}, 1e-13, 1e-14, x, xp, fp);
    for (int n = 1; n <= 4; ++n) {
        vector const points(tx::slice(xp, tx::range(0, n))), values(tx::slice(fp, tx::range(0, n)));
        doubles<3> const at{0.5, 1.2, 2};
        doubles<3> const wanted[]{{1, 1, 1}, {1.5, 2, 2}, {2.3333333333333335, 1.4000000000000001, 0.0}, {2.75, 1.28, -1.9999999999999996}};
        CHECK(difference(tx::interp(at, points, values, tx::interpolation::cubic), wanted[n - 1], 1e-13, 1e-14) == "");
    }
    CHECK(difference(tx::interp(doubles<2>{0.5, 1}, doubles<2>{0, 1}, doubles<2>{1, 2}, tx::interpolation::cubic), doubles<2>{1.5, 2}, 0) == "");
    CHECK(tx::interp(0.5, tx::tensor<float, tx::shape<3>>{0, 1, 2}, tx::tensor<float, tx::shape<3>>{0, 1, 4}, tx::interpolation::cubic).item() == doctest::Approx(0.25));
    CHECK(tx::interp(9, xp, fp, tx::interpolation::cubic, 0, 5).item() == 5);
}
TEST_CASE("interp: derivatives of splines") {
    tx::check_gradients([](auto const& a, auto const& b, auto const& c) { return tx::sum(tx::sin(tx::interp(a, b, c, tx::interpolation::cubic))); },
                        doubles<3>{0.3, 1.2, 5.5}, xp, fp);
}
