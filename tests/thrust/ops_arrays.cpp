#include <thrust/ops.hpp>

using namespace tx::testing;

TEST_CASE("ops: reductions, places, scans, through Thrust") { check_families<thrust_executor>(reduction_families{}); }
TEST_CASE("ops: lookups, products, adjoints, through Thrust") { check_families<thrust_executor>(other_families{}); }
