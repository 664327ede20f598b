// expect: there are types 1 to 4
#include <tracexpr/fft.hpp>
#include <tracexpr/tracexpr.hpp>

int main() {
#ifdef FIXED
    auto const y = tx::fft::dct(tx::tensor<double, tx::shape<4>>{}, tx::fft::type<4>);
#else
    auto const y = tx::fft::dct(tx::tensor<double, tx::shape<4>>{}, tx::fft::type<5>);
#endif
    return static_cast<int>(y.size());
}
