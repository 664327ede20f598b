// expect: tx: pad: tx::edge, reflect, symmetric and wrap need at least one element on each axis
#include <tracexpr/trace/functions.hpp>

auto f(tx::expr<float, tx::shape<0>> x) {
#ifdef FIXED
    return tx::pad(x, tx::widths<2>);
#else
    return tx::pad(x, tx::widths<2>, tx::wrap);
#endif
}
