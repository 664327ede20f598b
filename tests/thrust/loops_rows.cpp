// Row nests on Thrust's host system.
#include <thrust/loops.hpp>

using namespace tx::testing;

namespace {
struct softmax_of_rows {
    constexpr auto operator()(auto x) const { return tx::softmax(x); }
};
// Rows that are kept, and of which several values are: what is stored, what is local, what is one value for each row.
struct kept_rows {
    constexpr auto operator()(auto x) const {
        auto const e = tx::exp(x - tx::max(x, tx::axis<1>, tx::keepdims));
        auto const s = tx::sum(e, tx::axis<1>, tx::keepdims);
        auto const t = tx::tanh(tx::flip(e, tx::axis<1>) / s);
        return std::tuple(t - tx::max(t, tx::axis<1>, tx::keepdims), tx::log(s));
    }
};
} // namespace

TEST_CASE("thrust loops: rows of all lengths") {
    for (auto [m, n] : {std::pair(1, 1), {5, 2}, {7, 31}, {3, 1000}, {2, 100000}, {300, 4}, {0, 5}, {1, 70000}, {20, 64}}) {
        check_loops<softmax_of_rows, open_matrix<>>({array_of<float>(m, n)});
        check_loops<kept_rows, open_matrix<>>({array_of<float>(m, n)});
    }
    check_loops<softmax_of_rows, floats<20, 37>>({array_of<float>(20, 37)});
    check_loops<kept_rows, floats<20, 64>>({array_of<float>(20, 64)});
}
