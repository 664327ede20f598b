// expect: tx: fold: needs tx::output_extents
#include <tracexpr/conv.hpp>

auto f(tx::expr<float, tx::shape<1, 36, 27>> x) {
#ifdef FIXED
    return tx::fold<3, 3>(x, tx::output_extents<8, 8>);
#else
    return tx::fold<3, 3>(x);
#endif
}
