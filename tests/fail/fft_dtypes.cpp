// expect: fft: takes numbers, and no strings or duals
#include <tracexpr/fft.hpp>
#include <tracexpr/tracexpr.hpp>

int main() {
#ifdef FIXED
    auto const y = tx::fft::fft(tx::tensor<double, tx::shape<4>>{});
#else
    auto const y = tx::fft::fft(tx::tensor<tx::dual<double>, tx::shape<4>>{});
#endif
    return static_cast<int>(y.size());
}
