// expect: tx: pools: x must be real numbers
#include <tracexpr/conv.hpp>

auto f(tx::expr<bool, tx::shape<1, 8, 8, 3>> x) {
#ifdef FIXED
    return tx::max_pool<2, 2>(tx::cast<int>(x));
#else
    return tx::max_pool<2, 2>(x);
#endif
}
