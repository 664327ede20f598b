// expect: tx: istft: takes (..., coefficients, parts), and a real window
#include <tracexpr/fft.hpp>
#include <tracexpr/tracexpr.hpp>

auto f() {
#ifdef FIXED
    return tx::fft::istft<8>(tx::zeros<std::complex<float>>(tx::shape<5, 6>{}), tx::zeros<float>(tx::shape<8>{}));
#else
    return tx::fft::istft<8>(tx::zeros<std::complex<float>>(tx::shape<5, 6>{}), tx::zeros<float>(tx::shape<20>{}));
#endif
}
