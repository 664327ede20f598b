// expect: tx: pools: x must be (n, spatial..., c), or (n, c, spatial...)
#include <tracexpr/conv.hpp>

auto f(tx::expr<float, tx::shape<1, 8, 8, 3>> x) {
#ifdef FIXED
    return tx::max_pool<2, 2>(x);
#else
    return tx::max_pool<2>(x);
#endif
}
