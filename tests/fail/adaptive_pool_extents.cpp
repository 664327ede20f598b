// expect: tx: adaptive pools, global pools: x must be numbers (n, spatial..., c)
#include <tracexpr/conv.hpp>

auto f(tx::expr<float, tx::shape<1, 8, 8, 3>> x) {
#ifdef FIXED
    return tx::adaptive_max_pool<2, 2>(x);
#else
    return tx::adaptive_max_pool<2>(x);
#endif
}
