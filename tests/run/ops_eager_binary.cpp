#include <op_families.hpp>

using namespace tx::testing;

TEST_CASE("ops: of two operands, eager") { check_families<eager_executor>(binary_families{}); }
