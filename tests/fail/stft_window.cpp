// expect: tx: stft: takes a signal along the last axis, and a real window
#include <tracexpr/fft.hpp>
#include <tracexpr/tracexpr.hpp>

auto f() {
#ifdef FIXED
    return tx::fft::stft<8>(tx::zeros<float>(tx::shape<20>{}), tx::zeros<float>(tx::shape<8>{}));
#else
    return tx::fft::stft<8>(tx::zeros<float>(tx::shape<20>{}), tx::zeros<float>(tx::shape<7>{}));
#endif
}
