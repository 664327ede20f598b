// expect: tx: istft: the step from part to part must divide
#include <tracexpr/fft.hpp>
#include <tracexpr/tracexpr.hpp>

auto f() {
#ifdef FIXED
    return tx::fft::istft<8, 2>(tx::zeros<std::complex<float>>(tx::shape<5, 6>{}));
#else
    return tx::fft::istft<8, 3>(tx::zeros<std::complex<float>>(tx::shape<5, 6>{}));
#endif
}
