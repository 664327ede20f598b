// expect: tx: complex and dual numbers do not meet
#include <tracexpr/trace/functions.hpp>

auto f([[maybe_unused]] tx::expr<std::complex<float>, tx::shape<3>> z, [[maybe_unused]] tx::expr<tx::dual<float>, tx::shape<3>> x) {
#ifdef FIXED
    return tx::abs(z) + x;
#else
    return z + x;
#endif
}
