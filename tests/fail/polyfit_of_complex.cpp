// expect: tx: polyfit: takes real numbers
#include <tracexpr/statistics.hpp>
#include <tracexpr/tracexpr.hpp>

#ifdef FIXED
auto run(tx::tensor<std::complex<double>, tx::shape<4>> const& z, tx::tensor<double, tx::shape<4>> const& x) { return tx::polyfit<1>(x, tx::real(z)); }
#else
auto run(tx::tensor<std::complex<double>, tx::shape<4>> const& z, tx::tensor<double, tx::shape<4>> const& x) { return tx::polyfit<1>(x, z); }
#endif
