#include <thrust/ops.hpp>

using namespace tx::testing;

TEST_CASE("ops: of two operands, through Thrust") { check_families<thrust_executor>(binary_families{}); }
TEST_CASE("ops: complex numbers, through Thrust") { check_families<thrust_executor>(complex_families{}); }
