// This file tests how many threads a GPU would give to a row.
#include <thrust/crew.hpp>
#include <thrust/row_programs.hpp>

using namespace tx::testing;

TEST_CASE("thrust loops: a team for a row is as large as its threads have units to take, not elements") {
    CHECK(check_crew<softmax_of_rows, floats<3, 1024>>({array_of<float>(3, 1024)}).team == 32);
    // Rows of unknown length: a warp holds 2,048 floats, or 1,024 where rows begin anywhere; a block four times as many.
    auto const of_floats = [](std::int64_t n) { return check_crew<softmax_of_rows, open_matrix<>>({array_of<float>(3, n)}); };
    CHECK(of_floats(32).team == 1);
    for (std::int64_t const n : {33, 36, 1023, 1028, 2048}) CHECK(of_floats(n).team == 32);
    for (std::int64_t const n : {1025, 2052, 8192}) CHECK(of_floats(n).team == 256);
    crew_queue const longer = of_floats(8200); // in a block's shared memory
    CHECK(longer.team == 256);
    CHECK(longer.memory_of_teams >= 32800);
    CHECK(longer.memory_of_teams <= 48 << 10);
    auto const of_doubles = [](std::int64_t n) { return check_crew<softmax_of_rows, open_matrix<double>>({array_of<double>(3, n)}).team; };
    CHECK(of_doubles(1024) == 32);
    CHECK(of_doubles(1026) == 256);
}
