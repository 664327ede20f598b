// expect: tx: pools: each option stands once
#include <tracexpr/conv.hpp>

auto f(tx::expr<float, tx::shape<1, 8, 8, 3>> x) {
#ifdef FIXED
    return tx::max_pool<2, 2>(x, tx::stride<1, 1>);
#else
    return tx::max_pool<2, 2>(x, tx::stride<1, 1, 1>);
#endif
}
