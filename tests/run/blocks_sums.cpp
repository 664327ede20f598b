// This file tests sums over the axis that is divided into blocks, and their gradients.
#include <run/blocks_checks.hpp>

using namespace tx::testing;

namespace {
constexpr auto mixture = [](auto x, auto centres, auto weights) {
    auto const d = tx::expand_dims<1>(x) - tx::expand_dims<0>(centres);
    return tx::mean(tx::logsumexp(weights - 0.5 * tx::sum(d * d, tx::axis<2>), tx::axis<1>));
};
} // namespace

TEST_CASE("blocks: sums over the axis that is cut") {
    auto const x = numbers_of<float, 5003, 4>(6);
    auto const centres = numbers_of<float, 24, 4>(7);
    auto const weights = numbers_of<float, 24>(8);
    auto const gradient = tx::grad<1, 2>(mixture);
    check(gradient, gradient(tx::cast<double>(x), tx::cast<double>(centres), tx::cast<double>(weights)), x, centres, weights);
}
