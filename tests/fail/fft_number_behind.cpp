// expect: tx: fft: behind x stand tx::axis<...>, tx::fft::ortho and tx::fft::forward; a number of elements goes into <>
#include <tracexpr/fft.hpp>

auto f(tx::tensor<double, tx::shape<tx::dyn>> const& x) {
#ifdef FIXED
    return tx::fft::fft<16>(x);
#else
    return tx::fft::fft(x, 16);
#endif
}
