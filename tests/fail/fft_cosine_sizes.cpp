// expect: for type 1 of dct two at least
#include <tracexpr/fft.hpp>
#include <tracexpr/tracexpr.hpp>

int main() {
#ifdef FIXED
    auto const y = tx::fft::dct(tx::tensor<double, tx::shape<1>>{});
#else
    auto const y = tx::fft::dct(tx::tensor<double, tx::shape<1>>{}, tx::fft::type<1>);
#endif
    return static_cast<int>(y.size());
}
