// This file tests how a GPU would run loops: index arithmetic, the division of work, and teams of several threads, which are the
// host's here.
#include <thrust/crew.hpp>
#include <thrust/row_programs.hpp>

using namespace tx::testing;

namespace {
struct of_axes {
    constexpr auto operator()(auto x) const { return std::tuple(tx::sum(x, tx::axis<0>), tx::max(x, tx::axis<0>), tx::sum(x, tx::axis<1>), tx::sum(tx::square(x))); }
};
constexpr bool divides(std::int64_t n, std::int64_t by, bool narrow_index) { return tx::simd::quotient(n, tx::simd::split_by(by, narrow_index), narrow_index) == n / by; }
constexpr bool divides_around(std::int64_t by, bool narrow_index) {
    std::int64_t const largest = narrow_index ? tx::simd::most_narrow_points : std::numeric_limits<std::int64_t>::max();
    for (std::int64_t n : {std::int64_t{0}, std::int64_t{1}, by - 1, by, largest, largest - 1, largest / by * by, largest / by * by - 1})
        if (n >= 0 && n <= largest && !divides(n, by, narrow_index)) return false;
    return true;
}
} // namespace

TEST_CASE("thrust loops: a point's number is taken apart as by division") {
    std::int64_t by = 1;
    for (int k = 0; k < 62; ++k, by *= 2)
        for (std::int64_t off : {-1, 0, 1, 3})
            if (by + off > 0) {
                CAPTURE(by + off);
                CHECK(divides_around(by + off, false));
                if (by + off <= tx::simd::most_narrow_points) CHECK(divides_around(by + off, true));
            }
    for (std::int64_t n = 0; n < 3000; ++n)
        for (std::int64_t d : {1, 2, 3, 5, 7, 10, 37, 641, 2999}) CHECK((divides(n, d, true) && divides(n * 1'000'000'007, d, false)));
    static_assert(divides_around(7, true) && divides_around(1'000'000'007, false));
}
TEST_CASE("thrust loops: threads and pieces on a GPU") {
    using tx::detail::way_of_reduction;
    auto const all = way_of_reduction(1, 2'500'000, false, true);
    CHECK(all.team == 256);
    CHECK(all.pieces == 1024);
    CHECK(way_of_reduction(1'000'000, 4, false, true).team == 1);
    CHECK(way_of_reduction(1'000'000, 100, false, true).team == 32);
    CHECK(way_of_reduction(1'000'000, 5000, false, true).pieces == 1);
    CHECK(way_of_reduction(16, 1'000'000, true, true).pieces == 16384);
    CHECK(way_of_reduction(1 << 20, 1 << 20, true, true).pieces == 16); // else threads would add up too many terms
    CHECK(way_of_reduction(0, 5, false, true).pieces == 1);
    CHECK(way_of_reduction(1, std::int64_t{3} << 31, false, true).pieces == 1024);
    CHECK(tx::detail::team_of_rows(1000, {4, 4}, true) == 1);
    CHECK(tx::detail::team_of_rows(1000, {100, 100}, true) == 32);
    CHECK(tx::detail::team_of_rows(1000, {1024, 256}, true) == 32);
    CHECK(tx::detail::team_of_rows(1000, {1000, 1000}, true) == 256);
    CHECK(tx::detail::team_of_rows(2, {1'000'000, 1'000'000}, true) == 0);
    CHECK(tx::detail::team_of_rows(2, {1'000'000, 250'000}, false) == 0);
}
TEST_CASE("thrust loops: teams that reduce") {
    for (auto [m, n] : {std::pair(1, 1), {33, 17}, {1000, 3}, {3, 1000}, {20000, 2}, {2, 20000}, {64, 64}, {1, 1025}, {3, 2501}})
        check_crew<of_axes, open_matrix<>>({array_of<float>(m, n)});
    CHECK(check_crew<of_axes, open_matrix<>>({array_of<float>(3, 1000)}).tasks_of_several > 0);
}
TEST_CASE("thrust loops: teams that hand rows from loop to loop") {
    for (auto [m, n] : {std::pair(1, 1), {5, 2}, {7, 31}, {9, 64}, {3, 1000}, {2, 10001}, {300, 4}, {0, 5}, {2, 20000}}) check_crew<kept_rows, open_matrix<>>({array_of<float>(m, n)});
    crew_queue const used = check_crew<kept_rows, open_matrix<>>({array_of<float>(3, 8200)});
    CHECK(used.tasks_of_several >= 3);
    CHECK(used.memory_of_teams >= 32800);
    CHECK(used.tasks_of_known == 0);
}
