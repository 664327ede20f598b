// expect: tx: linalg::qr: takes float, double and duals of them; cast a first
#include <tracexpr/tracexpr.hpp>

#ifdef FIXED
auto factors(tx::tensor<double, tx::shape<3, 2>> const& a) { return tx::linalg::qr(a); }
#else
auto factors(tx::tensor<std::complex<float>, tx::shape<3, 2>> const& a) { return tx::linalg::qr(a); }
#endif
