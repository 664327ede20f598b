#include <op_cases.hpp>

using namespace tx::testing;

// They compute in float and round once: half an epsilon, and another where float's own error decides.
TEST_CASE_TEMPLATE("ops: small floats", T, tx::half, tx::bfloat16) {
    check_unary<ops::unary_floating_a, T>(2);
    check_unary<ops::unary_floating_b, T>(2);
    check_binary<ops::binary_floating, T>(2);
    check_binary<ops::comparisons, T>(0);
}
