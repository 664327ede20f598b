#include <thrust/ops.hpp>

using namespace tx::testing;

TEST_CASE("ops: of one operand, through Thrust") { check_families<thrust_executor>(unary_families{}); }
