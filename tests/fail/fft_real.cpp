// expect: take real numbers; use tx::fft::fft for complex ones
#include <tracexpr/fft.hpp>
#include <tracexpr/tracexpr.hpp>

#include <complex>

int main() {
#ifdef FIXED
    auto const y = tx::fft::rfft(tx::tensor<double, tx::shape<4>>{});
#else
    auto const y = tx::fft::rfft(tx::tensor<std::complex<double>, tx::shape<4>>{});
#endif
    return static_cast<int>(y.size());
}
