// expect: tx: assert_that: the condition must be bool
#include <tracexpr/tracexpr.hpp>

void call() {
    tx::tensor<float, tx::shape<2>> const x{1, 2};
#ifdef FIXED
    tx::assert_that(x > 0, "positive");
#else
    tx::assert_that(x, "positive");
#endif
}
