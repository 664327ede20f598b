// expect: tx: extents and axes don't stand in braces
#include <tracexpr/tracexpr.hpp>

using cube = tx::tensor<float, tx::shape<2, 3, 4>>;
#ifdef FIXED
auto run(cube const& x) { return tx::sum(x, tx::axis<0, 1>); }
#else
auto run(cube const& x) { return tx::sum(x, {0, 1}); }
#endif
