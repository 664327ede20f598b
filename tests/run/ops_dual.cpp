#include <op_families.hpp>

using namespace tx::testing;

TEST_CASE("ops: dual<float>") { check_families<known_extents_executor>(dual_families<tx::dual<float>>{}); }
TEST_CASE("ops: dual<dual<double>>") { check_families<unknown_extents_executor>(dual_families<tx::dual<tx::dual<double>>>{}); }
