#include <op_families.hpp>

using namespace tx::testing;

TEST_CASE("ops: lookups, products, adjoints, eager") { check_families<eager_executor>(other_families{}); }
