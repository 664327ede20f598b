#include <op_families.hpp>

using namespace tx::testing;

TEST_CASE("ops: integers, bool, casts, eager") { check_families<eager_executor>(exact_families{}); }
