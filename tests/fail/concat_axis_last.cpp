// expect: tx::concat(tx::axis<0>, a, b)
#include <tracexpr/tracexpr.hpp>

using vec = tx::tensor<float, tx::shape<3>>;
#ifdef FIXED
auto run(vec const& x) { return tx::concat(tx::axis<0>, x, x); }
#else
auto run(vec const& x) { return tx::concat(x, x, 0U); }
#endif
