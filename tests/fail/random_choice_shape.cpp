// expect: tx: random: choice: the shape must be known
#include <tracexpr/distributions.hpp>

#ifdef FIXED
auto run(tx::tensor<float, tx::shape<2>> const& a) { return tx::random::choice(a, tx::shape<5>{}); }
#else
auto run(tx::tensor<float, tx::shape<2>> const& a) { return tx::random::choice(a, tx::shape<tx::dyn>{}); }
#endif
