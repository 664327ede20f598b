// expect: as many axes as it transforms, and a norm
#include <tracexpr/fft.hpp>
#include <tracexpr/tracexpr.hpp>

int main() {
#ifdef FIXED
    auto const y = tx::fft::fft2(tx::tensor<double, tx::shape<4, 2>>{}, tx::axis<0, 1>);
#else
    auto const y = tx::fft::fft2(tx::tensor<double, tx::shape<4, 2>>{}, tx::axis<1>);
#endif
    return static_cast<int>(y.size());
}
