// expect: tx: stft: takes a signal, and a window, with the length of a part and the step in <>
#include <tracexpr/fft.hpp>

auto f(tx::tensor<double, tx::shape<tx::dyn>> const& x) {
#ifdef FIXED
    return tx::fft::stft<4, 2>(x);
#else
    return tx::fft::stft(x);
#endif
}
