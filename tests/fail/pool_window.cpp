// expect: tx: pools: a window needs one to three extents of at least 1, in <>: tx::max_pool<2, 2>(x)
#include <tracexpr/conv.hpp>

auto f(tx::expr<float, tx::shape<1, 8, 8, 3>> x) {
#ifdef FIXED
    return tx::max_pool<2, 2>(x);
#else
    return tx::max_pool<2, 0>(x);
#endif
}
