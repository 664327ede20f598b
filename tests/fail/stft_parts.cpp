// expect: tx: stft: a part needs at least one element
#include <tracexpr/fft.hpp>
#include <tracexpr/tracexpr.hpp>

auto f() {
#ifdef FIXED
    return tx::fft::stft<8, 8>(tx::zeros<float>(tx::shape<20>{}));
#else
    return tx::fft::stft<8, 9>(tx::zeros<float>(tx::shape<20>{}));
#endif
}
