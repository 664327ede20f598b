// expect: needs one extent of at least 1 for each axis
#include <tracexpr/fft.hpp>
#include <tracexpr/tracexpr.hpp>

int main() {
#ifdef FIXED
    auto const y = tx::fft::fftn<3>(tx::tensor<double, tx::shape<4>>{}, tx::axis<0>);
#else
    auto const y = tx::fft::fftn<3, 3>(tx::tensor<double, tx::shape<4>>{}, tx::axis<0>);
#endif
    return static_cast<int>(y.size());
}
