#include <thrust/ops.hpp>

using namespace tx::testing;

TEST_CASE("ops: dual numbers, through Thrust") { check_families<thrust_executor>(dual_families<tx::dual<double>>{}); }
