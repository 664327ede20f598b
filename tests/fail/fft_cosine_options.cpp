// expect: take one axis, one extent of at least 1
#include <tracexpr/fft.hpp>
#include <tracexpr/tracexpr.hpp>

int main() {
#ifdef FIXED
    auto const y = tx::fft::dct<4>(tx::tensor<double, tx::shape<4>>{});
#else
    auto const y = tx::fft::dct<4, 4>(tx::tensor<double, tx::shape<4>>{});
#endif
    return static_cast<int>(y.size());
}
