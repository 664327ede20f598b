// expect: tx: random: dirichlet: the shape must be known; broadcast alpha to others
#include <tracexpr/distributions.hpp>

#ifdef FIXED
auto run(tx::tensor<float, tx::shape<2>> const& a) { return tx::random::dirichlet(tx::shape<3>{}, a); }
#else
auto run(tx::tensor<float, tx::shape<2>> const& a) { return tx::random::dirichlet(tx::shape<tx::dyn>{}, a); }
#endif
