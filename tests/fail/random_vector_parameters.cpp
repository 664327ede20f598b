// expect: tx: random: the parameters of a distribution must be real numbers
#include <tracexpr/distributions.hpp>
#include <complex>

#ifdef FIXED
auto run(tx::tensor<float, tx::shape<2>> const& a) { return tx::random::dirichlet(a); }
#else
auto run(tx::tensor<float, tx::shape<2>> const& a) { return tx::random::dirichlet(tx::tensor<std::complex<float>, tx::shape<2>>{a(0), a(1)}); }
#endif
