// expect: tx: convolve: takes two vectors and a mode: tx::convolve(a, v, tx::mode::same)
#include <tracexpr/conv.hpp>

auto f(tx::expr<float, tx::shape<8>> x) {
#ifdef FIXED
    return tx::convolve(x, x, tx::mode::same);
#else
    return tx::convolve(x, x, "same");
#endif
}
