// expect: tx: linalg::solve: takes square matrices a (..., n, n) and b (..., n, k) or (n)
#include <tracexpr/trace/functions.hpp>

auto f(tx::expr<float, tx::shape<3, 3>> a, [[maybe_unused]] tx::expr<float, tx::shape<2>> b, [[maybe_unused]] tx::expr<float, tx::shape<3>> c) {
#ifdef FIXED
    return tx::linalg::solve(a, c);
#else
    return tx::linalg::solve(a, b);
#endif
}
