// This file tests extremes of floating numbers.
#include <op_families.hpp>

using namespace tx::testing;

template <class T> using extreme = family<ops::extremes, true, 0, array<T, 3, 5>>;

TEST_CASE_TEMPLATE("ops: extremes of floating numbers", T, tx::half, tx::bfloat16, float, double) {
    check_family<known_extents_executor>(extreme<T>{});
}
