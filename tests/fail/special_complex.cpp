// expect: tx: special functions take real numbers; apply them to tx::real or tx::imag of complex ones
#include <tracexpr/special.hpp>
#include <tracexpr/tracexpr.hpp>

#include <complex>

using vec = tx::tensor<std::complex<double>, tx::shape<5>>;
#ifdef FIXED
auto run(vec const& x) { return tx::special::j0(tx::real(x)); }
#else
auto run(vec const& x) { return tx::special::j0(x); }
#endif
