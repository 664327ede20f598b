// expect: tx: pad: takes one width, one pair, or a pair for each axis of x
#include <tracexpr/trace/functions.hpp>

auto f([[maybe_unused]] tx::expr<float, tx::shape<2, 3>> x) {
#ifdef FIXED
    return tx::pad(x, tx::widths<1, 2>);
#else
    return tx::pad(x, tx::widths<1, 2, 3>);
#endif
}
