// This file tests xtensor's containers, views and expressions as operands of ops and operators.
#include "xtensor_checks.hpp"

#include <doctest/doctest.h>

using tx::dyn;
using tx::shape;
using tx::tensor;

TEST_CASE("xtensor: operands of ops and operators are the tensors that they stand for") {
    xt::xtensor<float, 2> m = matrix();
    xt::xtensor<float, 2> const& constant = m;
    tensor<float, shape<3>> t{10, 20, 30};
    tensor<float, shape<dyn, 3>> const sums{{11, 22, 33}, {14, 25, 36}}, differences{{9, 18, 27}, {6, 15, 24}};
    static_assert(std::is_same_v<decltype(t + m), tensor<float, shape<dyn, 3>>>);
    CHECK(tx::equal(t + m, sums));
    CHECK(tx::equal(constant + std::as_const(t), sums));
    CHECK(tx::equal(m + t, sums));
    CHECK(tx::equal(t - constant, differences));
    CHECK(tx::equal(t - xt::view(m, xt::all(), xt::all()), differences));
    CHECK(tx::equal(m * 1 - t, -differences));
    CHECK(tx::equal(xt::xtensor_fixed<int, xt::xshape<3>>{1, 0, 2} << tensor<int, shape<>>{2}, tensor<int, shape<3>>{4, 0, 8}));
    CHECK(tx::equal((m < t / 2) && (t >= m * 10), tensor<bool, shape<dyn, 3>>{{true, true, true}, {false, false, false}}));
    CHECK(tx::equal(m == t / 10, tensor<bool, shape<dyn, 3>>{{true, true, true}, {false, false, false}}));
    CHECK(tx::equal(t != m * 10, tensor<bool, shape<dyn, 3>>{{false, false, false}, {true, true, true}}));
    static_assert(!tx::tensor_type<decltype(m + m)>); // xtensor's own

    CHECK(tx::sum(m).item() == 21);
    CHECK(tx::equal(tx::square(m), tensor<float, shape<dyn, dyn>>{{1, 4, 9}, {16, 25, 36}}));
    CHECK(tx::equal(tx::matmul(m, t), tensor<float, shape<dyn>>{140, 320}));
    CHECK(tx::equal(tx::concat(tx::axis<0>, m, tx::expand_dims<0>(t)), tensor<float, shape<dyn, 3>>{{1, 2, 3}, {4, 5, 6}, {10, 20, 30}}));
    CHECK(tx::equal(tx::where(m > t / 10, m, 0), tensor<float, shape<dyn, 3>>{{0, 0, 0}, {4, 5, 6}}));
    CHECK(tx::equal(tx::cast<int>(xt::xarray<double>{1.5, -2.5}), tensor<int>{1, -2}));
    std::vector<bool> flags{true, false, true}; // kept as bits
    CHECK(tx::equal(tx::logical_not(xt::adapt(flags, std::vector<std::size_t>{3})), tensor<bool>{false, true, false}));
    CHECK(tx::equal(tx::negative(xt::ravel<xt::layout_type::column_major>(m)), tensor<float>{-1, -4, -2, -5, -3, -6}));

    tx::function captures{[&](auto x) { return x * constant; }};
    CHECK(tx::equal(captures(t), tensor<float, shape<dyn, 3>>{{10, 40, 90}, {40, 100, 180}}));
    auto const total = tx::function{[](auto x) { return x * 2; }}.concrete<tx::spec<float, shape<dyn, dyn>>>();
    CHECK(total(m)(1, 2) == 12);
}
