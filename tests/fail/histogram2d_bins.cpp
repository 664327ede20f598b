// expect: tx: histogram2d: needs at least one bin along each axis
#include <tracexpr/statistics.hpp>
#include <tracexpr/tracexpr.hpp>

#ifdef FIXED
auto run(tx::tensor<double, tx::shape<4>> const& x) { return tx::histogram2d<1, 2>(x, x, 0, 1, 0, 1); }
#else
auto run(tx::tensor<double, tx::shape<4>> const& x) { return tx::histogram2d<0, 2>(x, x, 0, 1, 0, 1); }
#endif
