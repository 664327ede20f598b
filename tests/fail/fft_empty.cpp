// expect: an axis must have elements, and two coefficients
#include <tracexpr/fft.hpp>
#include <tracexpr/tracexpr.hpp>

#include <complex>

int main() {
#ifdef FIXED
    auto const y = tx::fft::irfft<1>(tx::tensor<std::complex<double>, tx::shape<1>>{});
#else
    auto const y = tx::fft::irfft(tx::tensor<std::complex<double>, tx::shape<1>>{});
#endif
    return static_cast<int>(y.size());
}
