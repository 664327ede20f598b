// expect: tx: correlate, convolve: take two vectors of numbers
#include <tracexpr/conv.hpp>

auto f(tx::expr<float, tx::shape<8, 8>> x) {
#ifdef FIXED
    return tx::correlate2d(x, x);
#else
    return tx::correlate(x, x);
#endif
}
