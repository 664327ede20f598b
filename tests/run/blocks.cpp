// This file tests that large intermediate values are computed a block at a time: pairs.
#include <run/blocks_checks.hpp>

using namespace tx::testing;

namespace {
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
TEST_CASE("blocks: extremes and where they are") {
    auto const x = numbers_of<float, 700>(12);
    auto const y = numbers_of<float, 601>(13) * 1.37f;
    check(extremes, extremes(tx::cast<double>(x), tx::cast<double>(y)), x, y);
}
