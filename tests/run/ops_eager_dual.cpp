#include <op_families.hpp>

using namespace tx::testing;

TEST_CASE("ops: dual<double>, eager") { check_families<eager_executor>(dual_families<tx::dual<double>>{}); }
