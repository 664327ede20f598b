// This file tests short sums on a device whose terms are adjacent to those of the adjacent results, as windows' are: a thread
// computes each, without counting an index where the compiler knows the number of terms.
#include <thrust/crew.hpp>

using namespace tx::testing;

namespace {

struct convolved {
    constexpr auto operator()(auto x, auto w) const { return tx::sum(tx::sliding_window_view<3, 3>(x, tx::axis<0, 1>) * w, tx::axis<2, 3>); }
};
// The largest of each window, how far it is above the mean, and where windows begin.
struct pooled {
    constexpr auto operator()(auto x) const {
        auto const windows = tx::sliding_window_view<5>(x, tx::axis<1>);
        auto const most = tx::max(windows, tx::axis<2>);
        return std::tuple(most, most - tx::mean(windows, tx::axis<2>), tx::sum(tx::cast<int>(windows > 0.5f), tx::axis<2>));
    }
};
// Terms that are counted: a weight that grows along the window.
struct weighted {
    constexpr auto operator()(auto x) const { return tx::sum(tx::sliding_window_view<4>(x, tx::axis<1>) * tx::arange<float>(0, 4), tx::axis<2>); }
};
// Few columns of neighbours, which don't lie together: each result is a row's.
struct short_rows {
    constexpr auto operator()(auto x) const { return tx::sum(x * x, tx::axis<1>); }
};

} // namespace

TEST_CASE("thrust windows: a convolution of known extents, of unknown ones, of rows shorter than a warp") {
    CHECK(check_crew<convolved, floats<40, 50>, floats<3, 3>>({array_of<float>(40, 50), array_of<float>(3, 3)}).team == 1);
    for (auto [m, n] : {std::pair(40, 50), {3, 3}, {5, 34}, {70, 33}, {4, 3}})
        check_crew<convolved, open_matrix<>, floats<3, 3>>({array_of<float>(m, n), array_of<float>(3, 3)});
    CHECK(check_crew<convolved, open_matrix<>, open_matrix<>>({array_of<float>(40, 50), array_of<float>(3, 3)}).team == 1);
    check_crew<convolved, floats<3, 3>, floats<3, 3>>({array_of<float>(3, 3), array_of<float>(3, 3)});
}
TEST_CASE("thrust windows: several results, maxima, other dtypes, terms that are counted") {
    for (auto [m, n] : {std::pair(7, 64), {1, 5}, {0, 9}, {3, 200}}) {
        check_crew<pooled, open_matrix<>>({array_of<float>(m, n)});
        check_crew<weighted, open_matrix<>>({array_of<float>(m, n)});
    }
    check_crew<pooled, floats<6, 70>>({array_of<float>(6, 70)});
    check_crew<weighted, floats<6, 70>>({array_of<float>(6, 70)});
    check_crew<convolved, open_matrix<double>, open_matrix<double>>({array_of<double>(20, 45), array_of<double>(3, 3)});
}
TEST_CASE("thrust windows: terms of rows don't lie next to each other's") {
    CHECK(check_crew<short_rows, open_matrix<>>({array_of<float>(100, 41)}).team == 32);
    CHECK(check_crew<short_rows, floats<100, 41>>({array_of<float>(100, 41)}).team == 32);
    check_crew<short_rows, open_matrix<tx::half>>({array_of<tx::half>(100, 8)}); // a row that a thread loads at once
    check_crew<short_rows, tx::tensor<tx::half, tx::shape<100, 8>>>({array_of<tx::half>(100, 8)});
}
