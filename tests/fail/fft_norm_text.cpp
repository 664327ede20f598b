// expect: tx: rfft: behind x stand tx::axis<...>, tx::fft::ortho and tx::fft::forward
#include <tracexpr/fft.hpp>

auto f(tx::tensor<double, tx::shape<tx::dyn>> const& x) {
#ifdef FIXED
    return tx::fft::rfft(x, tx::fft::ortho);
#else
    return tx::fft::rfft(x, "ortho");
#endif
}
