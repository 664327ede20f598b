// This file tests derivatives of medians and quantiles against differences, in all modes and to second order.
#include <ad/ordered_values.hpp>

#include <doctest/doctest.h>

using namespace tx::testing;

TEST_CASE("derivatives: median, quantile") {
    tx::check_gradients([](auto a) { return tx::median(tx::square(a)) + weighted(tx::median(a, tx::axis<0>)); }, m);
    tx::check_gradients([](auto a, auto q) { return weighted(tx::square(tx::quantile(a, q, tx::axis<1>))); }, m,
                        tx::tensor<double, tx::shape<2>>{0.2, 0.9});
    CHECK(tx::equal(tx::grad([](auto a) { return tx::median(a); })(x), vec{1, 0, 0, 0, 0}));
}
