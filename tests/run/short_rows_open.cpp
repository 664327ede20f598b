// This file tests a number of short rows that only the run knows.
#include "short_rows_checks.hpp"

TEST_CASE("short rows: as many as only the run knows") {
    check_open<float, 2>({1, 2, 15, 16, 31, 32, 33, 700});
    check_open<float, 3>({1, 3, 16, 47, 48, 321, 1000});
    check_open<float, 10>({1, 16, 35, 500});
    check_open<double, 3>({1, 7, 8, 17, 500});
}
