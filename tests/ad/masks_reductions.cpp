// This file tests that values which where does not select get exactly 0 beside an infinite slope: in reductions, and where
// several paths lead to it.
#include "masks.hpp"

using namespace masks;

TEST_CASE("masks: a condition for all, and one for rows") {
    check_gradient([](auto const& a) { return where(sum(a) > 100, sum(sqrt(a)), sum(a)); }, {1, 1, 1});
    check_gradient([](auto const& a) { return where(sum(a) > 100, norm(log(a)), cumsum(a)); }, {3, 2, 1});
    fixed<double, 2, 2> const rows{{0, 4}, {1, 4}};
    auto const f = [](auto const& a) { return sum(where(min(a, tx::axis<1>) > 0, sum(sqrt(a), tx::axis<1>), 0.0)); };
    CHECK(list(tx::grad(f)(rows)) == doubles{0, 0, 0.5, 0.25});
    CHECK(list(tx::grad(f)(tx::tensor<double, tx::shape<tx::dyn, tx::dyn>>(rows))) == doubles{0, 0, 0.5, 0.25});
    auto const product = [](auto const& a) {
        return sum(where(min(a, tx::axis<1>, tx::keepdims) > 0, matmul(sqrt(a), a * 0.0 + 1), 0.0));
    };
    CHECK(list(tx::grad(product)(rows)) == doubles{0, 0, 1, 0.5});
}

TEST_CASE("masks: other ways to the slope, of which one may count") {
    check_gradient([](auto const& a) { return where(a > 0, tx::flip(tx::flip(sqrt(a))), 0.0) + where(a > 3, sqrt(a), 0.0); },
                   {0.5, 0, 0.5});
    auto const both = [](auto const& a) { return sum(where(a > 1, tx::flip(tx::flip(sqrt(a))), sqrt(a))); };
    CHECK(list(tx::grad(both)(x))[1] == std::numeric_limits<double>::infinity());
}
