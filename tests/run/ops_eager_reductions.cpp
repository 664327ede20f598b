#include <op_families.hpp>

using namespace tx::testing;

TEST_CASE("ops: reductions, places, scans, eager") { check_families<eager_executor>(reduction_families{}); }
