// expect: tx: ldexp: takes real numbers
#include <tracexpr/special.hpp>
#include <tracexpr/tracexpr.hpp>

#include <complex>

using vec = tx::tensor<std::complex<double>, tx::shape<5>>;
#ifdef FIXED
auto run(vec const& x) { return tx::ldexp(tx::real(x), 2); }
#else
auto run(vec const& x) { return tx::ldexp(x, 2); }
#endif
