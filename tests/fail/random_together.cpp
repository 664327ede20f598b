// expect: tx: random: without a shape the parameters must broadcast to one another
#include <tracexpr/distributions.hpp>

#ifdef FIXED
auto run(tx::tensor<float, tx::shape<2>> const& a) { return tx::random::beta(a, tx::tensor<float, tx::shape<2>>{1, 2}); }
#else
auto run(tx::tensor<float, tx::shape<2>> const& a) { return tx::random::beta(a, tx::tensor<float, tx::shape<3>>{1, 2, 3}); }
#endif
