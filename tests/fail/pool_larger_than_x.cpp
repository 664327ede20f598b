// expect: tx: pools: x, with its padding, must have at least as many elements on each spatial axis as a window
#include <tracexpr/conv.hpp>

auto f(tx::expr<float, tx::shape<1, 8, 8, 3>> x) {
#ifdef FIXED
    return tx::max_pool<9, 8>(x, tx::mode::same);
#else
    return tx::max_pool<9, 8>(x);
#endif
}
