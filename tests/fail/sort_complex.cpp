// expect: tx: sort: complex numbers have no order
#include <tracexpr/tracexpr.hpp>

#ifdef FIXED
auto run(tx::tensor<std::complex<float>> const& x) { return tx::sort(tx::abs(x)); }
#else
auto run(tx::tensor<std::complex<float>> const& x) { return tx::sort(x); }
#endif
