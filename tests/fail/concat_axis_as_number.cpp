// expect: tx: axes, extents and the like are template arguments
#include <tracexpr/tracexpr.hpp>

using vec = tx::tensor<float, tx::shape<3>>;
#ifdef FIXED
auto run(vec const& x) { return tx::concat(tx::axis<0>, x, x); }
#else
auto run(vec const& x) { return tx::concat(0L, x, x); }
#endif
