#include <op_families.hpp>

using namespace tx::testing;

TEST_CASE("ops: complex numbers, eager") { check_families<eager_executor>(complex_families{}); }
