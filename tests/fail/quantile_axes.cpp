// expect: tx: median, quantile: take one axis, or none for all elements
#include <tracexpr/tracexpr.hpp>

#ifdef FIXED
auto run(tx::tensor<float, tx::shape<2, 3>> const& x) { return tx::quantile(x, 0.5, tx::axis<1>); }
#else
auto run(tx::tensor<float, tx::shape<2, 3>> const& x) { return tx::quantile(x, 0.5, tx::axis<0, 1>); }
#endif
