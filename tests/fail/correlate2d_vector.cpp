// expect: tx: correlate2d, convolve2d: take two matrices of numbers
#include <tracexpr/conv.hpp>

auto f(tx::expr<float, tx::shape<8>> x) {
#ifdef FIXED
    return tx::correlate(x, x);
#else
    return tx::correlate2d(x, x);
#endif
}
