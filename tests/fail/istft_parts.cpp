// expect: tx: istft: takes the Length / 2 + 1 coefficients
#include <tracexpr/fft.hpp>
#include <tracexpr/tracexpr.hpp>

auto f() {
#ifdef FIXED
    return tx::fft::istft<8>(tx::zeros<std::complex<float>>(tx::shape<5, 6>{}));
#else
    return tx::fft::istft<10>(tx::zeros<std::complex<float>>(tx::shape<5, 6>{}));
#endif
}
