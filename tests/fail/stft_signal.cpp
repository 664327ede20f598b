// expect: tx: stft: takes a signal of numbers along the last axis
#include <tracexpr/fft.hpp>
#include <tracexpr/tracexpr.hpp>

auto f() {
#ifdef FIXED
    return tx::fft::stft<8>(tx::zeros<float>(tx::shape<20>{}));
#else
    return tx::fft::stft<8>(tx::zeros<float>(tx::shape<>{}));
#endif
}
