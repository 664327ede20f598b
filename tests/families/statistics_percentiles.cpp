// This file tests percentile, nanpercentile, nanquantile and nanmedian against NumPy 2.4.
#include <tracexpr/statistics.hpp>

#include <family_checks.hpp>

#include <cmath>
#include <limits>

namespace {

using tx::testing::check_in_all_forms;
using tx::testing::check_open_rank;
using tx::testing::difference;
constexpr double NaN = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();

using matrix = tx::tensor<double, tx::shape<3, 4>>;
matrix const x{{3, 1, 7, 2}, {9, 4, 6, 8}, {5, 0, -1, 2.5}};
matrix const gaps{{NaN, 1, 7, 2}, {9, NaN, NaN, 8}, {NaN, NaN, NaN, NaN}};
template <int... N> using doubles = tx::tensor<double, tx::shape<N...>>;

} // namespace

TEST_CASE("percentile: of rows, columns and all, NumPy's values") {
    check_in_all_forms([](auto const& a) { return tx::percentile(a, 30, tx::axis<-1>); }, doubles<3>{1.9, 5.8, -0.1}, 1e-14, 1e-15, x);
    check_in_all_forms([](auto const& a, auto const& q) { return tx::percentile(a, q, tx::axis<0>); },
                       doubles<3, 4>{{3.4, 0.2, 0.4, 2.1}, {5, 1, 6, 2.5}, {7, 2.5, 6.5, 5.25}}, 1e-14, 1e-15, x, doubles<3>{10, 50, 75});
    check_open_rank([](auto const& a) { return tx::percentile(a, 37.5); }, doubles<>(2.5625), 0, 0, x);
    CHECK(difference(tx::percentile(x, 40, tx::axis<1, 0>, tx::keepdims), doubles<1, 1>{{2.7}}, 1e-14) == "");
    static_assert(std::is_same_v<decltype(tx::percentile(x, 40, tx::axis<0>, tx::keepdims)), doubles<1, 4>>);
    CHECK(difference(tx::percentile<1>(x, doubles<1, 2>{{0, 100}}), tx::tensor<double, tx::shape<1, 2, 3>>{{{1, 4, -1}, {7, 9, 5}}}, 0) == "");
    CHECK(tx::percentile(doubles<>(4), 20).item() == 4);
}
TEST_CASE("percentile: methods") {
    doubles<3> const q{10, 50, 75};
    CHECK(difference(tx::percentile(x, q, tx::axis<1>, tx::method::lower), doubles<3, 3>{{1, 4, -1}, {2, 6, 0}, {3, 8, 2.5}}, 0) == "");
    CHECK(difference(tx::percentile(x, q, tx::axis<1>, tx::method::higher), doubles<3, 3>{{2, 6, 0}, {3, 8, 2.5}, {7, 9, 5}}, 0) == "");
    CHECK(difference(tx::percentile(x, q, tx::method::nearest, tx::axis<1>), doubles<3, 3>{{1, 4, -1}, {3, 8, 2.5}, {3, 8, 2.5}}, 0) == "");
    CHECK(difference(tx::percentile(x, q, tx::axis<1>, tx::method::midpoint), doubles<3, 3>{{1.5, 5, -0.5}, {2.5, 7, 1.25}, {5, 8.5, 3.75}}, 0) == "");
    tx::tensor<int, tx::shape<3>> const whole{4, 2, 9};
    static_assert(std::is_same_v<decltype(tx::percentile(whole, 30, tx::method::lower)), tx::tensor<int, tx::shape<>>>);
    CHECK(tx::percentile(whole, 30, tx::method::higher).item() == 4);
    CHECK(tx::percentile(whole, 25).item() == 3.0);
    CHECK(tx::percentile(tx::tensor<bool, tx::shape<3>>{true, false, true}, 25).item() == 0.5);
}
TEST_CASE("percentile: an element is itself, beside inf, too; NaN where one is") {
    tx::tensor<double, tx::shape<101>> a = tx::full<double>(tx::shape<101>{}, inf);
    for (int i = 0; i < 8; ++i) a(i) = i;
    CHECK(tx::percentile(a, 7).item() == 7); // 0.07 * 100 is more than 7
    CHECK(tx::percentile(a, 8).item() == inf);
    CHECK(tx::percentile(doubles<2>{-inf, -inf}, 50).item() == -inf);
    CHECK(std::isnan(tx::percentile(doubles<3>{1, NaN, 2}, 0).item()));
    CHECK(tx::percentile(tx::tensor<tx::half, tx::shape<2>>{tx::half(1.0f), tx::half(2.0f)}, 25).item() == tx::half(1.25f));
    CHECK_THROWS_WITH_AS(static_cast<void>(tx::percentile(x, 101)), "tx: percentile: q must lie between 0 and 100; given 101.000000", tx::error);
    CHECK_THROWS_AS(static_cast<void>(tx::percentile(tx::tensor<double, tx::shape<tx::dyn>>(0), 50)), tx::shape_error);
}
TEST_CASE("percentile: of long rows what their order says, of columns, in functions and in batches") {
    tx::tensor<float, tx::shape<tx::dyn, tx::dyn>> const m(tx::random::uniform<float>(tx::shape<3, 4000>{}));
    tx::tensor<double, tx::shape<tx::dyn>> const q{0, 12.5, 50, 99.9, 100};
    auto const in_order = tx::sort(m, tx::axis<1>);
    auto const wanted = [&](std::int64_t row, double part) { // np.percentile(m, part, 1, method="linear")
        double const place = part / 100 * 3999, before = std::floor(place);
        double const low = in_order(row, static_cast<std::int64_t>(before)), high = in_order(row, static_cast<std::int64_t>(std::ceil(place)));
        return low + (high - low) * (place - before);
    };
    tx::function const in_function{[](auto const& a, auto const& p) { return tx::percentile(a, p, tx::axis<1>); }};
    auto const batched = tx::vmap([](auto const& a, auto const& p) { return tx::percentile(a, p); })(m, tx::tensor<double, tx::shape<3>>{50, 12.5, 100});
    for (auto const& got : {tx::tensor<float>(tx::percentile(m, q, tx::axis<1>)), tx::tensor<float>(in_function(m, q)),
                            tx::tensor<float>(tx::percentile(tx::transpose(m), q, tx::axis<0>)), tx::tensor<float>(tx::quantile(m, q / 100.0, tx::axis<1>))})
        for (std::int64_t k = 0; k < 5; ++k)
            for (std::int64_t row = 0; row < 3; ++row) CHECK(got(k, row) == doctest::Approx(wanted(row, q(k))).epsilon(1e-6));
    for (std::int64_t row = 0; row < 3; ++row) CHECK(batched(row) == doctest::Approx(wanted(row, row == 0 ? 50 : row == 1 ? 12.5 : 100)).epsilon(1e-6));
    CHECK(tx::median(m, tx::axis<1>)(1) == doctest::Approx(wanted(1, 50)).epsilon(1e-6));
}
TEST_CASE("percentile: derivatives") {
    tx::check_gradients([](auto const& a, auto const& q) { return tx::sum(tx::sin(tx::percentile(a, q, tx::axis<1>))); }, x, doubles<2>{30, 77});
    tx::check_gradients([](auto const& a) { return tx::square(tx::percentile(a, 45, tx::method::midpoint)); }, x);
    auto const at = tx::grad([](auto const& a) { return tx::percentile(a, 50); })(doubles<3>{4, 1, 3});
    CHECK(difference(at, doubles<3>{0, 0, 1}, 0) == "");
}
TEST_CASE("nanpercentile, nanquantile, nanmedian: NumPy's values") {
    check_in_all_forms([](auto const& a, auto const& q) { return tx::nanpercentile(a, q, tx::axis<1>); },
                       doubles<2, 3>{{1.5, 8.25, NaN}, {3, 8.6, NaN}}, 1e-14, 0, gaps, doubles<2>{25, 60});
    CHECK(tx::nanquantile(gaps, 0.3).item() == 3);
    check_in_all_forms([](auto const& a) { return tx::nanmedian(a, tx::axis<1>); }, doubles<3>{2, 8.5, NaN}, 0, 0, gaps);
    CHECK(difference(tx::nanmedian(gaps, tx::axis<0>, tx::keepdims), doubles<1, 4>{{9, 1, 7, 5}}, 0) == "");
    CHECK(tx::nanmedian(gaps).item() == 7);
    CHECK(tx::nanmedian(doubles<2>{-1.5e308, 1.7e308}).item() == doctest::Approx(0.1e308));
    CHECK(tx::nanmedian(tx::tensor<int, tx::shape<2>>{3, 4}).item() == 3.5);
    auto const at = tx::grad([](auto const& a) { return tx::sum(tx::nanpercentile(a, 25, tx::axis<1>)); })(doubles<2, 3>{{1, NaN, 3}, {NaN, NaN, NaN}});
    CHECK(difference(at, doubles<2, 3>{{0.75, 0, 0.25}, {1, 0, 0}}, 0) == "");
}
