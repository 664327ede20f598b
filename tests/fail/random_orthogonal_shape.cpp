// expect: tx: random: orthogonal: the shape must be that of a matrix, or of several in its last two axes
#include <tracexpr/distributions.hpp>

#ifdef FIXED
auto run(tx::tensor<float, tx::shape<2>> const& a) { return tx::random::orthogonal(tx::shape<3, 3>{}) + a(0); }
#else
auto run(tx::tensor<float, tx::shape<2>> const& a) { return tx::random::orthogonal(tx::shape<3>{}) + a(0); }
#endif
