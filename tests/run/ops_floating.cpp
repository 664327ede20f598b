#include <op_cases.hpp>

using namespace tx::testing;

TEST_CASE("ops: unary on floats") {
    check_unary<ops::unary_floating_a, float>(8);
    check_unary<ops::unary_floating_b, float>(8);
}
TEST_CASE("ops: binary on floats") { check_binary<ops::binary_floating, float>(8); }
TEST_CASE("ops: comparisons of floats") { check_binary<ops::comparisons, float>(0); }
