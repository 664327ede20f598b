// expect: tx: real, imag and conj take complex numbers
#include <tracexpr/trace/functions.hpp>

auto f([[maybe_unused]] tx::expr<float, tx::shape<3>> x) {
#ifdef FIXED
    return tx::conj(tx::cast<std::complex<float>>(x));
#else
    return tx::conj(x);
#endif
}
