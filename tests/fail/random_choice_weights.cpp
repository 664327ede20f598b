// expect: tx: random: choice: behind the shape stand tx::axis<n>, tx::random::without_replacement and a vector
#include <tracexpr/distributions.hpp>

#ifdef FIXED
auto run(tx::tensor<float, tx::shape<2>> const& a) { return tx::random::choice(a, tx::shape<5>{}, a); }
#else
auto run(tx::tensor<float, tx::shape<2>> const& a) { return tx::random::choice(a, tx::shape<5>{}, a, a); }
#endif
