// This file tests tx::extent, and shapes made of it, under vmap, in tapes and in functions called by functions. Expected values
// are computed by hand.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

using tx::any_shape;
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

TEST_CASE("extent: under vmap it is the example's") {
    tensor<float, shape<dyn, dyn>> const rows{{1, 2, 3}, {4, 5, 9}};
    tx::static_function f{tx::vmap(mean_of)};
    CHECK(same(f(rows), vec{2, 6}));
    CHECK(same(tx::vmap(smoothed)(rows), tensor<float>{{1, 2, 1}, {2.5, 6.5, 2.5}}));
    CHECK(same(tx::vmap<1>(mean_of)(rows), vec{2.5, 3.5, 6}));
    CHECK(same(tx::vmap(halves)(tensor<float, shape<dyn, dyn>>{{1, 2, 3, 4}}), tensor<float>{{{0, 2}, {0, 4}}}));
    CHECK(same(tx::vmap(tx::grad(mean_of))(tensor<float, shape<dyn, 2>>{{1, 2}, {3, 4}, {5, 6}}), tensor<float>{{0.5, 0.5}, {0.5, 0.5}, {0.5, 0.5}}));
    CHECK(same(tx::vmap([](auto x) { return tx::arange<int>(extent<0>(x)); })(rows), tensor<int>{{0, 1, 2}, {0, 1, 2}}));
}

TEST_CASE("extent: in tapes, functions in functions and on eager tensors") {
    vec const x{1, 2, 3, 4};
    tx::gradient_tape tape;
    tape.watch(x);
    tx::function inner{smoothed};
    auto const y = tx::sum(inner(x) * x) / extent<0>(x);
    auto const gradient = tape.gradient(y, x);
    CHECK(same(gradient, vec{0.5, 1, 1.5, 0.75}));
    tx::static_function outer{[](auto v) { return tx::function{mean_of}(tx::function{smoothed}(v) * extent<0>(v)); }};
    CHECK(outer(x).item() == 1 + 2 + 3 + 1.5f);
    CHECK(same(smoothed(x), vec{1, 2, 3, 1.5}));
    CHECK(same(halves(x), tensor<float>{{0, 2}, {0, 4}}));
    CHECK(same(tx::reshape<shape<dyn, dyn>>(x, -1, 1), tensor<float>{{1}, {2}, {3}, {4}}));
    CHECK(same(tx::broadcast_to<any_shape>(x, 2, 4), tensor<float>{{1, 2, 3, 4}, {1, 2, 3, 4}}));
    CHECK_THROWS_AS(tx::reshape<shape<dyn>>(x, 3), tx::shape_error);
}
