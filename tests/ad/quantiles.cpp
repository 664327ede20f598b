// Derivatives of what looks for a place among elements in order, against differences, in all modes and to the second order.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

namespace {

using vec = tx::tensor<double, tx::shape<5>>;
using matrix = tx::tensor<double, tx::shape<2, 4>>;
vec const x{0.3, -1.2, 2.5, 0.7, -0.4};
matrix const m{{3, 1, 2, -1.5}, {-1, 5, 0.5, 4}};
constexpr auto weighted = [](auto const& a) { return tx::sum(tx::square(a) * tx::iota_like(a, tx::axis<-1>)); };

} // namespace

TEST_CASE("derivatives: median, quantile") {
    tx::check_gradients([](auto a) { return tx::median(tx::square(a)) + weighted(tx::median(a, tx::axis<0>)); }, m);
    tx::check_gradients([](auto a, auto q) { return weighted(tx::square(tx::quantile(a, q, tx::axis<1>))); }, m,
                        tx::tensor<double, tx::shape<2>>{0.2, 0.9});
    CHECK(tx::equal(tx::grad([](auto a) { return tx::median(a); })(x), vec{1, 0, 0, 0, 0}));
}
