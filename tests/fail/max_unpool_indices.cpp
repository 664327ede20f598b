// expect: tx: max_unpool: x and the integer indices must have the shape
#include <tracexpr/conv.hpp>

auto f(tx::expr<float, tx::shape<1, 8, 8, 3>> x, tx::expr<int, tx::shape<1, 8, 8, 3>> i) {
#ifdef FIXED
    return tx::max_unpool<2, 2>(x, i);
#else
    return tx::max_unpool<2, 2>(x, tx::cast<float>(i));
#endif
}
