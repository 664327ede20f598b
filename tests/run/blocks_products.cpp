// This file tests that large intermediate values are computed a block at a time: products, and gradients.
#include <run/blocks_checks.hpp>

using namespace tx::testing;

namespace {
constexpr auto ridge = [](auto x, auto a, auto y) {
    auto const d = tx::expand_dims<0>(x) - tx::expand_dims<1>(x);
    auto const k = tx::exp(-0.5 * tx::sum(d * d, tx::axis<2>));
    return tx::sum(tx::square(tx::matmul(k, tx::expand_dims<1>(a)) - tx::expand_dims<1>(y)));
};
constexpr auto attention = [](auto q, auto k, auto v) {
    return tx::matmul(tx::softmax(tx::matmul(q, tx::matrix_transpose(k)) * 0.25), v);
};

} // namespace

TEST_CASE("blocks: a gradient through pairs") {
    auto const x = numbers_of<float, 400, 4>(3);
    auto const a = numbers_of<float, 400>(4), y = numbers_of<float, 400>(5);
    auto const gradient = tx::grad<0, 1>(ridge);
    check(gradient, gradient(tx::cast<double>(x), tx::cast<double>(a), tx::cast<double>(y)), x, a, y);
}
TEST_CASE("blocks: within blocks, products") {
    auto const q = numbers_of<float, 2, 3, 260, 16>(9), k = numbers_of<float, 2, 3, 260, 16>(10),
               v = numbers_of<float, 2, 3, 260, 16>(11);
    check(attention, attention(tx::cast<double>(q), tx::cast<double>(k), tx::cast<double>(v)), q, k, v);
}
