// expect: tx: istft: takes what stft gives, and its window, with the length of a part
#include <tracexpr/fft.hpp>

auto f(tx::tensor<std::complex<double>, tx::shape<3, 4>> const& x) {
#ifdef FIXED
    return tx::fft::istft<4, 2>(x);
#else
    return tx::fft::istft(x);
#endif
}
