// expect: tx: fft: a window needs its dtype in <>: tx::fft::hann<double>(8)
#include <tracexpr/fft.hpp>

auto f(int n) {
#ifdef FIXED
    return tx::fft::hann<double>(n);
#else
    return tx::fft::hann(n);
#endif
}
