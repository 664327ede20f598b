// expect: dct, dst: the axis must lie within the rank
#include <tracexpr/fft.hpp>
#include <tracexpr/tracexpr.hpp>

int main() {
#ifdef FIXED
    auto const y = tx::fft::dct(tx::tensor<double, tx::shape<4>>{}, tx::axis<-1>);
#else
    auto const y = tx::fft::dct(tx::tensor<double, tx::shape<4>>{}, tx::axis<1>);
#endif
    return static_cast<int>(y.size());
}
