// This file tests derivatives of tx::conv and tx::conv_transpose against differences, for both operands, in both modes and to
// second order.
#include <families/conv_helper.hpp>

#include <doctest/doctest.h>

using namespace tx::testing;

namespace {
auto const x = whole_numbers(tx::shape<2, 5, 4>{}, 1.3) / 8.0;
auto const w = whole_numbers(tx::shape<3, 2, 6>{}, 0.7) / 8.0;
} // namespace

TEST_CASE("conv: derivatives, with strides and groups") {
    tx::check_gradients([](auto p, auto q) { return tx::conv(p, q, tx::groups<2>, tx::stride<2>, tx::mode::same); }, x, w);
}
TEST_CASE("conv_transpose: derivatives") {
    auto const y = whole_numbers(tx::shape<2, 5, 6>{}, 1.3) / 8.0;
    tx::check_gradients([](auto p, auto q) { return tx::conv_transpose(p, q, tx::groups<2>, tx::stride<2>); }, y, w);
}
TEST_CASE("conv: derivatives of a batch with filters of its own, and of unknown extents") {
    auto const halved = [](auto p, auto q) { return tx::conv(p, q, tx::groups<2>, tx::widths<1>, tx::dilation<2>); };
    tx::check_gradients<1>(tx::vmap(halved), tx::stack(tx::axis<0>, x, x * 2.0), tx::stack(tx::axis<0>, w, w * 3.0));
    using open = tx::tensor<double, tx::shape<tx::dyn, tx::dyn, tx::dyn>>;
    tx::check_gradients<1>(halved, open(x), open(w));
}
TEST_CASE("conv: a depthwise one's derivatives, in two dimensions") {
    auto const image = whole_numbers(tx::shape<1, 4, 5, 3>{}, 1.3) / 8.0;
    auto const each = whole_numbers(tx::shape<2, 2, 1, 3>{}, 0.7) / 8.0;
    tx::check_gradients<1>([](auto p, auto q) { return tx::conv(p, q, tx::groups<3>, tx::stride<2, 1>, tx::mode::same); }, image, each);
}
