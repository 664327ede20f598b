// This file tests row nests on Thrust's host system.
#include <thrust/loops.hpp>
#include <thrust/row_programs.hpp>

using namespace tx::testing;

TEST_CASE("thrust loops: rows of all lengths") {
    for (auto [m, n] : {std::pair(1, 1), {5, 2}, {7, 31}, {3, 1000}, {2, 100000}, {300, 4}, {0, 5}, {1, 70000}, {20, 64}, {40, 1024}, {9, 1001}, {70, 2048}, {3, 8192}}) {
        check_loops<softmax_of_rows, open_matrix<>>({array_of<float>(m, n)});
        check_loops<kept_rows, open_matrix<>>({array_of<float>(m, n)});
    }
    check_loops<softmax_of_rows, floats<20, 37>>({array_of<float>(20, 37)});
    check_loops<kept_rows, floats<20, 64>>({array_of<float>(20, 64)});
}
