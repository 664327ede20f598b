// expect: tx: percentile, nanmedian, nanquantile, nanpercentile: take axes within the rank of x
#include <tracexpr/statistics.hpp>
#include <tracexpr/tracexpr.hpp>

#ifdef FIXED
auto run(tx::tensor<double, tx::shape<4>> const& x) { return tx::percentile(x, 50, tx::axis<0>); }
#else
auto run(tx::tensor<double, tx::shape<4>> const& x) { return tx::percentile(x, 50, tx::axis<1>); }
#endif
