// Values on the way that are large are made a block at a time: pairs, and what lies along the axis that is cut.
#include <run/blocks_checks.hpp>

using namespace tx::testing;

namespace {
constexpr auto mixture = [](auto x, auto centres, auto weights) {
    auto const d = tx::expand_dims<1>(x) - tx::expand_dims<0>(centres);
    return tx::mean(tx::logsumexp(weights - 0.5 * tx::sum(d * d, tx::axis<2>), tx::axis<1>));
};
constexpr auto extremes = [](auto x, auto y) {
    auto const d = tx::abs(tx::expand_dims<1>(x) - tx::expand_dims<0>(y));
    return std::tuple(tx::max(d, tx::axis<0>), tx::min(d, tx::axis<1>), tx::argmin(d, tx::axis<1>), tx::max(d));
};

} // namespace

TEST_CASE("blocks: forces between all pairs") {
    auto const x = numbers_of<float, 523, 3>(1);
    auto const m = numbers_of<float, 523>(2);
    auto const want = forces(tx::cast<double>(x), tx::cast<double>(m));
    check(forces, want, x, m);
}
TEST_CASE("blocks: sums over the axis that is cut") {
    auto const x = numbers_of<float, 5003, 4>(6);
    auto const centres = numbers_of<float, 24, 4>(7);
    auto const weights = numbers_of<float, 24>(8);
    auto const gradient = tx::grad<1, 2>(mixture);
    check(gradient, gradient(tx::cast<double>(x), tx::cast<double>(centres), tx::cast<double>(weights)), x, centres, weights);
}
TEST_CASE("blocks: extremes and where they are") {
    auto const x = numbers_of<float, 700>(12);
    auto const y = numbers_of<float, 601>(13) * 1.37f;
    check(extremes, extremes(tx::cast<double>(x), tx::cast<double>(y)), x, y);
}
