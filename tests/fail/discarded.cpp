// expect: nodiscard
#include <tracexpr/tracexpr.hpp>

#pragma GCC diagnostic error "-Wunused-result"

void f(tx::tensor<float, tx::shape<3>>& z) {
#ifdef FIXED
    z = tx::exp(z);
#else
    tx::exp(z);
#endif
}
