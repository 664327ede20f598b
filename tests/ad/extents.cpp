// This file tests tx::extent, and shapes made of it, in derivatives. Expected values are computed by hand.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

using tx::dyn;
using tx::extent;
using tx::shape;
using tx::tensor;

namespace {

using vec = tensor<float, shape<dyn>>;
bool same(auto const& a, auto const& b) { return tx::equal(a, b); }

constexpr auto mean_of = [](auto x) { return tx::sum(x) / extent<0>(x); };
// Neighbours' means, padded with a zero at either end.
constexpr auto smoothed = [](auto x) {
    auto const zero = tx::zeros<float, shape<dyn>>(extent<0>(x) - extent<0>(x) + 1);
    auto const wide = tx::concat(tx::axis<0>, zero, x, zero);
    return (tx::slice(wide, tx::range<0, -2>) + tx::slice(wide, tx::range<2, tx::open>)) / 2;
};
constexpr auto halves = [](auto x) { return tx::reshape<shape<dyn, 2>>(x, extent<0>(x) / 2, 2) * tx::arange<float>(2); };

} // namespace

TEST_CASE("extent: derivatives have none, and shapes hold in them") {
    vec const x{1, 2, 3, 4};
    CHECK(same(tx::grad(mean_of)(x), vec{0.25, 0.25, 0.25, 0.25}));
    CHECK(same(mean_of(x), tensor<float, shape<>>(2.5f)));
    constexpr auto loss = [](auto v) { return tx::sum(smoothed(v) * tx::arange<float>(extent<0>(v))); };
    // d loss / dx_i = (i - 1) / 2 + (i + 1) / 2, without what lies outside
    CHECK(same(tx::grad(loss)(x), vec{0.5, 1, 2, 1}));
    tx::static_function f{tx::grad(loss)};
    CHECK(same(f(x), vec{0.5, 1, 2, 1}));
    CHECK(same(f(vec{1, 2}), vec{0.5, 0}));
    auto const [value, step] = tx::jvp(loss)(x, vec{1, 0, 0, 1});
    CHECK(value.item() == doctest::Approx(0 * 1 + 1 * 2 + 2 * 3 + 3 * 1.5));
    CHECK(step.item() == 1.5f);
    CHECK(same(tx::grad([](auto v) { return tx::sum(tx::square(halves(v))); })(x), vec{0, 4, 0, 8}));
    CHECK(same(tx::hessian([](auto v) { return tx::sum(tx::square(v)) / extent<0>(v); })(vec{1, 2}), tensor<float>{{1, 0}, {0, 1}}));
}
