// expect: tx: linalg::cholesky: the last two extents of a must be equal
#include <tracexpr/trace/functions.hpp>

auto f([[maybe_unused]] tx::expr<float, tx::shape<2, 3>> x, [[maybe_unused]] tx::expr<float, tx::shape<5, 3, 3>> y) {
#ifdef FIXED
    return tx::linalg::cholesky(y);
#else
    return tx::linalg::cholesky(x);
#endif
}
