#include <op_families.hpp>

using namespace tx::testing;

TEST_CASE("ops: of one operand, eager") { check_families<eager_executor>(unary_families{}); }
