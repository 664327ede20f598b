// This file tests cross, kron, cov and corrcoef. Expected values are those of NumPy 2.4.
#include <run/small_functions_checks.hpp>

using namespace tx::testing;
using tx::axis;
using tx::shape;
using tx::tensor;
using cd = std::complex<double>;

TEST_CASE("small functions: cross") {
    tensor<double, shape<2, 3>> const u{{1, 2, 3}, {4, -5, 6}};
    tensor<double, shape<3>> const v{0.5, -1, 2};
    check_each([](auto const& a, auto const& b) { return tx::cross(a, b); }, tensor<double>{{7, -0.5, -2}, {-4, -5, -1.5}}, 0, u,
               v);
    auto const columns = tx::transpose(u), turned = tx::flip(columns, axis<1>);
    check_each([](auto const& a, auto const& b) { return tx::cross(a, b, axis<0>); },
               tensor<double>{{27, -27}, {6, -6}, {-13, 13}}, 0, columns, turned);
    check_values(tx::cross(tensor<int, shape<3>>{1, 0, 0}, tensor<int, shape<3>>{0, 1, 0}), tensor<int>{0, 0, 1}, 0);
    check_values(tx::cross(tensor<cd, shape<3>>{{0, 1}, 0, 0}, tensor<double, shape<3>>{0, 1, 0}), tensor<cd>{0, 0, cd{0, 1}}, 0);
    check_values(tx::cross(tensor<double, shape<0, 3>>{}, v), tensor<double, shape<0, 3>>{}, 0);
    tensor<double> const four{1, 2, 3, 4};
    tensor<double, shape<tx::dyn>> const four_open(four);
    CHECK_THROWS_AS(tx::cross(four, four), tx::shape_error);
    CHECK_THROWS_AS(tx::cross(four_open, v), tx::shape_error);
    CHECK_THROWS_AS(tx::cross(tensor<double>(1.0), v), tx::shape_error);
    auto const slope =
        tx::grad<0, 1>([](auto a, auto b) { return tx::sum(tx::cross(a, b)); })(tensor<double, shape<3>>{1, 2, 3}, v);
    check_values(std::get<0>(slope), tensor<double>{-3, 1.5, 1.5}, 0); // v x 1
    check_values(std::get<1>(slope), tensor<double>{1, -2, 1}, 0);     // 1 x a
}

TEST_CASE("small functions: kron") {
    tensor<int, shape<2, 2>> const k{{1, 2}, {3, 4}};
    tensor<int, shape<3, 2>> const l{{0, 5}, {6, 7}, {1, 0}};
    tensor<int, shape<2>> const v{1, 10};
    auto const kron = [](auto const& a, auto const& b) { return tx::kron(a, b); };
    check_each(kron, tensor<int>{{0, 5, 0, 10}, {6, 7, 12, 14}, {1, 0, 2, 0}, {0, 15, 0, 20}, {18, 21, 24, 28}, {3, 0, 4, 0}}, 0,
               k, l);
    check_each(kron, tensor<int>{{1, 10, 2, 20}, {3, 30, 4, 40}}, 0, k, v);
    check_each(kron, tensor<int>{{1, 2, 10, 20}, {3, 4, 30, 40}}, 0, v, k);
    check_values(tx::kron(tensor<int, shape<2, 1, 2>>{{{1, 2}}, {{3, 4}}}, k),
                 tensor<int>{{{1, 2, 2, 4}, {3, 4, 6, 8}}, {{3, 6, 4, 8}, {9, 12, 12, 16}}}, 0);
    check_values(tx::kron(tensor<int, shape<>>(3), v), tensor<int>{3, 30}, 0);
    check_values(tx::kron(tensor<bool, shape<2>>{true, false}, v), tensor<int>{1, 10, 0, 0}, 0);
    check_values(tx::kron(tensor<int, shape<0>>{}, v), tensor<int, shape<0>>{}, 0);
    tensor<int> const deep = tx::ones<int>(shape<1, 1, 1, 1, 1>{});
    CHECK_THROWS_AS(tx::kron(deep, v), tx::shape_error);
    auto const slope = tx::grad([](auto a, auto b) { return tx::sum(tx::kron(a, b)); })(tensor<double, shape<2>>{1, 2},
                                                                                        tensor<double, shape<3>>{1, 2, 4});
    check_values(slope, tensor<double>{7, 7}, 0);
}

TEST_CASE("small functions: cov, corrcoef") {
    tensor<double, shape<3, 4>> const m{{0.5, 1, 2.5, -1}, {2, 1, 0, 4}, {1, 1, 1, 1}};
    double const a = 2.0833333333333333, b = -2.4166666666666665, c = 2.9166666666666665, r = -0.9803789354850793;
    check_each([](auto const& x) { return tx::cov(x); }, tensor<double>{{a, b, 0}, {b, c, 0}, {0, 0, 0}}, 1e-14, m);
    check_values(tx::cov(m, tx::ddof<0>), tensor<double>{{1.5625, -1.8125, 0}, {-1.8125, 2.1875, 0}, {0, 0, 0}}, 1e-14);
    auto const x = tx::slice(m, tx::at<0>), y = tx::slice(m, tx::at<1>);
    check_values(tx::cov(x), tensor<double>(a), 1e-14);
    check_each([](auto const& p, auto const& q) { return tx::cov(p, q); }, tensor<double>{{a, b}, {b, c}}, 1e-14, x, y);
    check_values(tx::corrcoef(m), tensor<double>{{1, r, missing}, {r, 1, missing}, {missing, missing, missing}}, 1e-14);
    check_values(tx::corrcoef(x, y), tensor<double>{{1, r}, {r, 1}}, 1e-14);
    check_values(tx::corrcoef(x), tensor<double>(1.0), 0);
    tensor<double> const open = m, open_row = x; // even the rank
    check_values(tx::corrcoef(open), tx::corrcoef(m), 1e-14);
    check_values(tx::corrcoef(open_row), tensor<double>(1.0), 0);
    check_values(tx::cov(open_row), tensor<double>(a), 1e-14);
    check_values(tx::cov(open, open_row), tx::cov(m, x), 1e-14);
    tx::function const f{[](auto const& p) { return tx::cov(p, tx::ddof<0>); }};
    check_values(f(open_row), tensor<double>(1.5625), 1e-14);
    check_values(f(open), tx::cov(m, tx::ddof<0>), 1e-14);
    CHECK_THROWS_WITH_AS(tx::corrcoef(tensor<double>{{{1, 2}}}),
                         "tx: corrcoef: takes one axis (observations) or two (variables, observations); given (1, 1, 2)", tx::shape_error);
    tensor<cd, shape<2, 3>> const w{{{1, 1}, {2, -1}, {0, 0.5}}, {1, {0, 2}, 3}};
    cd const s{-2.666666666666667, -0.08333333333333326};
    check_values(tx::cov(w), tensor<cd, shape<2, 2>>{{2.0833333333333335, s}, {std::conj(s), 3.6666666666666665}}, 1e-14);
    check_values(
        tx::corrcoef(w),
        tensor<cd, shape<2, 2>>{{1, cd{-0.9648363026488436, -0.03015113445777633}}, {cd{-0.9648363026488436, 0.03015113445777634}, 1}}, 1e-14);
    check_values(tx::cov(tensor<int, shape<3>>{1, 2, 4}), tensor<double>(2.3333333333333335), 1e-15);
    check_values(tx::cov(tensor<double, shape<1>>{1}), tensor<double>(missing), 0);
}
