// expect: tx: extents and axes don't stand in braces
#include <tracexpr/tracexpr.hpp>

#ifdef FIXED
auto run(tx::tensor<float, tx::shape<6>> const& x) { return tx::reshape<2, 3>(x); }
#else
auto run(tx::tensor<float, tx::shape<6>> const& x) { return tx::reshape(x, {2, 3}); }
#endif
