// This file tests nanmean, nanprod, nanvar, nanstd, nanargmax, nanargmin and diff. Expected values are those of NumPy 2.4.
#include <run/small_functions_checks.hpp>

using namespace tx::testing;
using tx::axis;
using tx::shape;
using tx::tensor;
using cd = std::complex<double>;

namespace {
tensor<double, shape<3, 3>> const x{{1.5, missing, 3}, {missing, missing, missing}, {-2, 0.25, infinite}};
tensor<double, shape<3, 3>> const y{{1.5, missing, -3}, {0.5, 2, missing}, {-2, 0.25, 4}};
tensor<cd, shape<3>> const z{{1, 2}, {missing, 0}, {3, -1}};
} // namespace

TEST_CASE("small functions: nanmean, nanprod") {
    check_each([](auto const& a) { return tx::nanmean(a, axis<1>); }, tensor<double>{2.25, missing, infinite}, 1e-15, x);
    check_each([](auto const& a) { return tx::nanmean<0>(a, tx::keepdims); }, tensor<double>{{0, 1.125, 0.5}}, 1e-15, y);
    check_each([](auto const& a) { return tx::nanmean(a); }, tensor<double>(0.4642857142857143), 1e-15, y);
    check_each([](auto const& a) { return tx::nanprod(a, axis<1>); }, tensor<double>{4.5, 1, -infinite}, 1e-15, x);
    check_values(tx::nanmean(z), tensor<cd>(cd{2, 0.5}), 1e-15);
    check_values(tx::nanprod(z), tensor<cd>(cd{5, 5}), 1e-15);
    check_values(tx::nanmean(tensor<std::int32_t, shape<2>>{1, 2}), tensor<double>(1.5), 0);
    check_values(tx::nanprod(tensor<std::int8_t, shape<2>>{100, 2}), tensor<std::int64_t>(std::int64_t{200}), 0);
    check_values(tx::nanmean(tensor<double, shape<0>>{}), tensor<double>(missing), 0);
    // 2000 halves, whose sum would not fit in one
    auto const halves = tx::full<tx::half>(shape<2000>{}, tx::half(100.f));
    CHECK(static_cast<float>(tx::nanmean(halves).item()) == 100);
    auto const slope = tx::grad([](auto a) { return tx::nanmean(a); })(tensor<double, shape<3>>{1, missing, 5});
    check_values(slope, tensor<double>{0.5, 0, 0.5}, 0);
}

TEST_CASE("small functions: nanvar, nanstd") {
    check_each([](auto const& a) { return tx::nanvar(a, axis<1>); }, tensor<double>{0.5625, missing, missing}, 1e-15, x);
    check_each([](auto const& a) { return tx::nanvar(a, axis<0>, tx::ddof<1>); }, tensor<double>{3.25, 1.53125, 24.5}, 1e-15, y);
    check_each([](auto const& a) { return tx::nanstd(a); }, tensor<double>(2.2056282366635016), 1e-15, y);
    check_values(tx::nanstd(y, axis<1>, tx::ddof<2>), tensor<double>{missing, missing, 4.286607049870562}, 1e-15);
    check_values(tx::nanvar(z), tensor<double>(3.25), 1e-15);
    check_values(tx::nanvar(tensor<int, shape<3>>{1, 2, 3}), tensor<double>(2.0 / 3), 1e-15);
}

TEST_CASE("small functions: nanargmax, nanargmin") {
    check_each([](auto const& a) { return tx::nanargmax(a, axis<1>); }, tensor<std::int64_t>{0, 1, 2}, 0, y);
    check_each([](auto const& a) { return tx::nanargmin(a, axis<0>, tx::keepdims); }, tensor<std::int64_t>{{2, 2, 0}}, 0, y);
    check_values(tx::nanargmax(y), tensor<std::int64_t>(std::int64_t{8}), 0);
    check_values(tx::nanargmax(x, axis<1>), tensor<std::int64_t>{2, -1, 2}, 0);
    check_values(tx::nanargmin(tensor<int, shape<2>>{3, 2}), tensor<std::int64_t>(std::int64_t{1}), 0);
    constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
    check_values(tx::nanargmax(tensor<double, shape<3>>{nan, -infinity, -infinity}), tensor<std::int64_t>(std::int64_t{1}), 0);
    check_values(tx::nanargmin(tensor<double, shape<2, 2>>{{nan, infinity}, {nan, 1}}, axis<1>), tensor<std::int64_t>{1, 1}, 0);
    CHECK_THROWS_AS(tx::nanargmax(tensor<double>(tx::zeros<double>(shape<0>{}))), tx::shape_error);
}

TEST_CASE("small functions: diff") {
    tensor<double, shape<2, 4>> const d{{1, 4, 9, 16}, {2, 3, 5, 8}};
    check_each([](auto const& a) { return tx::diff(a); }, tensor<double>{{3, 5, 7}, {1, 2, 3}}, 0, d);
    check_each([](auto const& a) { return tx::diff<2>(a); }, tensor<double>{{2, 2}, {1, 1}}, 0, d);
    check_each([](auto const& a) { return tx::diff(a, axis<0>); }, tensor<double>{{1, -1, -4, -8}}, 0, d);
    check_each([](auto const& a) { return tx::diff<0>(a); }, tensor<double>(d), 0, d);
    check_each([](auto const& a) { return tx::diff<5>(a); }, tensor<double, shape<2, 0>>{}, 0, d);
    check_values(tx::diff(tensor<bool, shape<3>>{true, false, false}), tensor<bool>{true, false}, 0);
    check_values(tx::diff(tensor<std::uint8_t, shape<3>>{3, 1, 2}), tensor<std::uint8_t>{254, 1}, 0);
    check_values(tx::diff(tensor<cd, shape<2>>{{1, 2}, {3, 5}}), tensor<cd>{cd{2, 3}}, 0);
    CHECK_THROWS_AS(tx::diff(tensor<double>(1.0)), tx::shape_error);
    check_values(tx::grad([](auto a) { return tx::sum(tx::diff(a) * tx::diff(a)); })(tensor<double, shape<3>>{1, 4, 9}),
                 tensor<double>{-6, -4, 10}, 0);
}
