// expect: tx: unfold: needs a window of one to three extents
#include <tracexpr/conv.hpp>

auto f(tx::expr<float, tx::shape<1, 8, 8, 3>> x) {
#ifdef FIXED
    return tx::unfold<3, 3>(x);
#else
    return tx::unfold<9, 3>(x);
#endif
}
