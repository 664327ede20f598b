// How many threads a GPU would give to a row.
#include <thrust/crew.hpp>
#include <thrust/row_programs.hpp>

using namespace tx::testing;

TEST_CASE("thrust loops: a team for a row is as large as its threads have units to take, not elements") {
    // Of 1,024 floats a thread takes four at once: eight times a warp takes the row, and its arena fits shared memory.
    CHECK(check_crew<softmax_of_rows, floats<3, 1024>>({array_of<float>(3, 1024)}).team == 32);
    crew_queue const open = check_crew<softmax_of_rows, open_matrix<>>({array_of<float>(3, 1024)});
    CHECK(open.team == 32);
    CHECK(open.memory_of_teams * 256 / open.team <= 48 << 10);
    CHECK(check_crew<softmax_of_rows, open_matrix<>>({array_of<float>(3, 1023)}).team == 256); // rows begin anywhere: one at once
    CHECK(check_crew<softmax_of_rows, open_matrix<>>({array_of<float>(3, 1028)}).team == 256);
    CHECK(check_crew<softmax_of_rows, open_matrix<>>({array_of<float>(3, 32)}).team == 1);
    CHECK(check_crew<softmax_of_rows, open_matrix<double>>({array_of<double>(3, 512)}).team == 32);
    CHECK(check_crew<softmax_of_rows, open_matrix<double>>({array_of<double>(3, 1024)}).team == 256);
}
