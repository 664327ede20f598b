// expect: tx: mish: takes real numbers; apply it to tx::real(x) and tx::imag(x)
#include <tracexpr/nn.hpp>

#include <complex>

auto f([[maybe_unused]] tx::expr<std::complex<float>, tx::shape<2>> x) {
#ifdef FIXED
    return tx::mish(tx::real(x));
#else
    return tx::mish(x);
#endif
}
