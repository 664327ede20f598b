#include <thrust/ops.hpp>

using namespace tx::testing;

TEST_CASE("ops: integers, bool, casts, through Thrust") { check_families<thrust_executor>(exact_families{}); }
TEST_CASE("ops: views, structure, leaves, through Thrust") { check_families<thrust_executor>(view_families{}); }
