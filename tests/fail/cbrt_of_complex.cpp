// expect: tx: this op takes real numbers; apply it to tx::abs, tx::real or tx::imag of complex ones
#include <tracexpr/trace/functions.hpp>

auto f([[maybe_unused]] tx::expr<std::complex<float>, tx::shape<3>> x) {
#ifdef FIXED
    return tx::cbrt(tx::abs(x));
#else
    return tx::cbrt(x);
#endif
}
