// expect: tx: transpose: the axes must name every axis of x exactly once
#include <tracexpr/trace/functions.hpp>

auto f([[maybe_unused]] tx::expr<float, tx::shape<2, 3>> x) {
#ifdef FIXED
    return tx::transpose(x, tx::axis<1, 0>);
#else
    return tx::transpose(x, tx::axis<1, 1>);
#endif
}
