// expect: tx: signbit: takes real numbers; apply it to tx::real(x) or tx::imag(x)
#include <tracexpr/special.hpp>
#include <tracexpr/tracexpr.hpp>

#include <complex>

using vec = tx::tensor<std::complex<double>, tx::shape<5>>;
#ifdef FIXED
auto run(vec const& x) { return tx::signbit(tx::real(x)); }
#else
auto run(vec const& x) { return tx::signbit(x); }
#endif
