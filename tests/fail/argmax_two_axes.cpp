// expect: tx: argmax: takes one axis, or none
#include <tracexpr/trace/functions.hpp>

auto f([[maybe_unused]] tx::expr<float, tx::shape<2, 3>> x) {
#ifdef FIXED
    return tx::argmax(x);
#else
    return tx::argmax(x, tx::axis<0, 1>);
#endif
}
