// This file tests bags of long rows, of many rows and of none.
#include <run/bags_checks.hpp>

TEST_CASE("bags: long rows") {
    check_bags<64, 5>();
    check_bags<67, 9>();
    check_bags<1100, 3>();
}
TEST_CASE("bags: of many rows, and of none") {
    check_bags<20, 130>();
    check_bags<33, 300>();
    check_bags<7, 0>();
}
