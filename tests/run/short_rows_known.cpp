// This file tests short rows of known extents, and long ones of whole vectors and a rest.
#include "short_rows_checks.hpp"

TEST_CASE("short rows: known extents") {
    check_known<float, 100, 3>();
    check_known<float, 16, 31>();
    check_known<double, 33, 4>();
    check_known<std::int32_t, 90, 5>();
    check_known<std::int16_t, 200, 3>();
    check_open<double, 13>({1, 8, 40, 100});
}
