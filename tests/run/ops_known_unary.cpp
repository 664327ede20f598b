#include <op_families.hpp>

using namespace tx::testing;

TEST_CASE("ops: of one operand, known extents") { check_families<known_extents_executor>(unary_families{}); }
