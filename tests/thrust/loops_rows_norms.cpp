// This file tests layer norm, and rows of several axes, on Thrust's host system.
#include <thrust/loops.hpp>
#include <thrust/row_programs.hpp>

using namespace tx::testing;

namespace {
struct of_planes {
    constexpr auto operator()(auto x) const {
        auto const m = tx::max(x, tx::axis<2, 3>, tx::keepdims);
        auto const e = tx::exp(x - m);
        return tx::transpose(e, tx::axis<0, 1, 3, 2>) / tx::sum(e, tx::axis<2, 3>, tx::keepdims);
    }
};
} // namespace

TEST_CASE("thrust loops: layer norm") {
    for (auto [m, n] : {std::pair(1, 1), {5, 2}, {7, 31}, {3, 1000}, {300, 4}, {20, 64}})
        check_loops<normalized_rows, open_matrix<>, open_row<>, open_row<>>({array_of<float>(m, n), array_of<float>(n), array_of<float>(n)});
}
TEST_CASE("thrust loops: rows of two axes under two") {
    check_loops<of_planes, floats<2, 3, 4, 4>>({array_of<float>(2, 3, 4, 4)});
    check_loops<of_planes, floats<1, 3, 5, 3>>({array_of<float>(1, 3, 5, 3)});
}
