// expect: tx: digitize: takes real numbers
#include <tracexpr/statistics.hpp>
#include <tracexpr/tracexpr.hpp>

#ifdef FIXED
auto run(tx::tensor<std::complex<double>, tx::shape<4>> const& z, tx::tensor<double, tx::shape<4>> const& x) { return tx::digitize(tx::real(z), x); }
#else
auto run(tx::tensor<std::complex<double>, tx::shape<4>> const& z, tx::tensor<double, tx::shape<4>> const& x) { return tx::digitize(z, x); }
#endif
