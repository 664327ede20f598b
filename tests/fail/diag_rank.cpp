// expect: tx: diag: takes a vector or a matrix
#include <tracexpr/trace/functions.hpp>

auto f([[maybe_unused]] tx::expr<float, tx::shape<2, 2, 3>> b, [[maybe_unused]] tx::expr<float, tx::shape<2, 3>> x) {
#ifdef FIXED
    return tx::diag(x);
#else
    return tx::diag(b);
#endif
}
