// expect: tx: fftconvolve: takes real numbers with an axis
#include <tracexpr/fft.hpp>
#include <tracexpr/tracexpr.hpp>

auto f() {
#ifdef FIXED
    return tx::fft::fftconvolve(tx::zeros<float>(tx::shape<20>{}), tx::zeros<float>(tx::shape<20>{}));
#else
    return tx::fft::fftconvolve(tx::zeros<float>(tx::shape<20>{}), tx::zeros<std::complex<float>>(tx::shape<5, 6>{}));
#endif
}
