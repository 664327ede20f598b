// expect: tx: linalg::inv: takes float, double
#include <tracexpr/trace/functions.hpp>

auto f([[maybe_unused]] tx::expr<std::complex<float>, tx::shape<3, 3>> z) {
#ifdef FIXED
    return tx::linalg::inv(tx::abs(z));
#else
    return tx::linalg::inv(z);
#endif
}
