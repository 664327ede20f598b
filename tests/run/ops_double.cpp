#include <op_cases.hpp>

using namespace tx::testing;

TEST_CASE("ops: float64") {
    check_unary<ops::unary_floating_a, double>(8);
    check_unary<ops::unary_floating_b, double>(8);
    check_binary<ops::binary_floating, double>(8);
}
