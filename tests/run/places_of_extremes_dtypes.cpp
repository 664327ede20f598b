// This file tests places of the extremes of computed values, in all dtypes whose places loops find, and in others.
#include "places_of_extremes_checks.hpp"

using namespace places_of_extremes;

TEST_CASE_TEMPLATE("places of extremes: dtypes", T, double, std::int32_t, std::int64_t, std::uint64_t, std::int16_t) {
    check_extents<T, 9, 21>();
    check_extents<T, 20, 6>();
}
