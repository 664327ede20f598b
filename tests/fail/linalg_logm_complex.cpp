// expect: tx: linalg::logm: takes real square matrices in the last two axes
#include <tracexpr/matrices.hpp>

#include <complex>

#ifdef FIXED
auto run(tx::tensor<std::complex<float>, tx::shape<2, 2>> const& x) { return tx::linalg::logm(tx::real(x)); }
#else
auto run(tx::tensor<std::complex<float>, tx::shape<2, 2>> const& x) { return tx::linalg::logm(x); }
#endif
