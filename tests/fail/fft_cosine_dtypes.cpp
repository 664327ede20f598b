// expect: take real numbers; transform real and imaginary parts each
#include <tracexpr/fft.hpp>
#include <tracexpr/tracexpr.hpp>

#include <complex>

int main() {
#ifdef FIXED
    auto const y = tx::fft::dct(tx::tensor<double, tx::shape<4>>{});
#else
    auto const y = tx::fft::dct(tx::tensor<std::complex<double>, tx::shape<4>>{});
#endif
    return static_cast<int>(y.size());
}
