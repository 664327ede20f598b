// expect: tx: fftconvolve: takes tx::mode::full, same or valid
#include <tracexpr/fft.hpp>
#include <tracexpr/tracexpr.hpp>

auto f() {
#ifdef FIXED
    return tx::fft::fftconvolve(tx::zeros<float>(tx::shape<20>{}), tx::zeros<float>(tx::shape<20>{}), tx::mode::same);
#else
    return tx::fft::fftconvolve(tx::zeros<float>(tx::shape<20>{}), tx::zeros<float>(tx::shape<20>{}), tx::fft::ortho);
#endif
}
