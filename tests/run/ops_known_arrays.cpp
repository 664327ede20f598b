#include <op_families.hpp>

using namespace tx::testing;

TEST_CASE("ops: reductions, places, scans, known extents") { check_families<known_extents_executor>(reduction_families{}); }
TEST_CASE("ops: lookups, products, adjoints, known extents") { check_families<known_extents_executor>(other_families{}); }
