// This file tests loops that only store, on Thrust's host system.
#include <thrust/loops.hpp>

using namespace tx::testing;

namespace {
struct scaled_sum {
    constexpr auto operator()(auto x, auto y) const { return 1.5f * x + y; }
};
struct broadcast_sum {
    constexpr auto operator()(auto x, auto row, auto column) const { return tx::exp(x) * row + tx::expand_dims<1>(column); }
};
struct transposed {
    constexpr auto operator()(auto x, auto y) const { return std::tuple(tx::transpose(x) * 2.0f + y, tx::transpose(x)); }
};
struct turned {
    constexpr auto operator()(auto x) const { return tx::transpose(x, tx::axis<4, 2, 0, 1, 3>) * 2.0f + tx::cos(tx::transpose(tx::flip(x, tx::axis<1>), tx::axis<4, 2, 0, 1, 3>)); }
};
struct counted {
    constexpr auto operator()(auto x) const { return x * tx::iota_like<float>(x, tx::axis<1>) + tx::iota_like<float>(x); }
};
} // namespace

TEST_CASE("thrust loops: one axis, with a few elements left") {
    for (int n : {0, 1, 2, 3, 4, 5, 31, 1000, 4097}) check_loops<scaled_sum, open_row<>, open_row<>>({array_of<float>(n), array_of<float>(n)});
    check_loops<scaled_sum, floats<13>, floats<13>>({array_of<float>(13), array_of<float>(13)});
    check_loops<scaled_sum, open_row<>, open_row<>>({array_of<float>(1), array_of<float>(40)});
}
TEST_CASE("thrust loops: broadcast rows and columns") {
    for (auto [m, n] : {std::pair(3, 8), {33, 17}, {1, 16}, {16, 1}, {0, 5}, {5, 0}, {7, 64}})
        check_loops<broadcast_sum, open_matrix<>, open_row<>, open_row<>>({array_of<float>(m, n), array_of<float>(n), array_of<float>(m)});
}
TEST_CASE("thrust loops: transposed, and five axes") {
    for (auto [m, n] : {std::pair(3, 8), {32, 16}, {1, 16}, {16, 1}, {0, 5}})
        check_loops<transposed, open_matrix<>, open_matrix<>>({array_of<float>(m, n), array_of<float>(n, m)});
    check_loops<turned, floats<2, 3, 4, 2, 4>>({array_of<float>(2, 3, 4, 2, 4)});
    using open = tx::tensor<float, tx::shape<tx::dyn, tx::dyn, tx::dyn, tx::dyn, tx::dyn>>;
    check_loops<turned, open>({array_of<float>(2, 3, 4, 2, 4)});
    check_loops<turned, open>({array_of<float>(1, 3, 1, 2, 1)});
}
TEST_CASE("thrust loops: values that count") {
    check_loops<counted, floats<3, 8>>({array_of<float>(3, 8)});
    check_loops<counted, open_matrix<>>({array_of<float>(3, 8)});
    check_loops<counted, open_matrix<>>({array_of<float>(5, 1)});
}
