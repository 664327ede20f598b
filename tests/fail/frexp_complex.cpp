// expect: tx: frexp: takes real numbers
#include <tracexpr/special.hpp>
#include <tracexpr/tracexpr.hpp>

#include <complex>

using vec = tx::tensor<std::complex<double>, tx::shape<5>>;
#ifdef FIXED
auto run(vec const& x) { return tx::frexp(tx::real(x)); }
#else
auto run(vec const& x) { return tx::frexp(x); }
#endif
