// expect: tx: lp_pool: the order of the norm, which stands before the window, must be at least 1
#include <tracexpr/conv.hpp>

auto f(tx::expr<float, tx::shape<1, 8, 8, 3>> x) {
#ifdef FIXED
    return tx::lp_pool<2, 2, 2>(x);
#else
    return tx::lp_pool<0, 2, 2>(x);
#endif
}
