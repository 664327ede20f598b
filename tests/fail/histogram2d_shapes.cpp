// expect: tx: histogram2d: takes real x, y and weights of one shape
#include <tracexpr/statistics.hpp>
#include <tracexpr/tracexpr.hpp>

#ifdef FIXED
auto run(tx::tensor<double, tx::shape<3>> const& y, tx::tensor<double, tx::shape<4>> const&) { return tx::histogram2d<2, 2>(y, y, 0, 1, 0, 1); }
#else
auto run(tx::tensor<double, tx::shape<3>> const& y, tx::tensor<double, tx::shape<4>> const& x) { return tx::histogram2d<2, 2>(x, y, 0, 1, 0, 1); }
#endif
