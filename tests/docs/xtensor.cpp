// The bridge to xtensor: its arrays, views and expressions as arguments, and tensors as its views. `#include <tracexpr/xtensor.hpp>`.
#include <tracexpr/tracexpr.hpp>
#include <tracexpr/xtensor.hpp>

#include <doctest/doctest.h>

TEST_CASE("from_xtensor, to_xtensor, xtensor_expression") {
    xt::xtensor<float, 2> const a{{1, 2, 3}, {4, 5, 6}};
    static_assert(tx::xtensor_expression<decltype(a + a)>);
    tx::function row_sums{[](auto x) { return tx::sum(x, tx::axis<1>); }};
    CHECK(tx::equal(row_sums(a), tx::tensor<float, tx::shape<tx::dyn>>{6, 15})); // as an argument, without a copy
    auto const t = tx::from_xtensor(a + a);                                     // a tensor, shape<dyn, dyn>
    CHECK(t(1, 2) == 12);
    CHECK(tx::to_xtensor(t)(0, 1) == 4);
}

TEST_CASE("as_xtensor, as_mutable_xtensor") {
    tx::tensor<double, tx::shape<2, 2>> t{{1, 2}, {3, 4}};
    CHECK(xt::sum(tx::as_xtensor(t))() == 10); // a view, without a copy
    tx::as_mutable_xtensor(t) *= 10;
    CHECK(t(1, 1) == 40);
}
