// expect: tx: polyfit: takes vectors x and y of one extent
#include <tracexpr/statistics.hpp>
#include <tracexpr/tracexpr.hpp>

#ifdef FIXED
auto run(tx::tensor<double, tx::shape<3>> const& y, tx::tensor<double, tx::shape<4>> const&) { return tx::polyfit<1>(y, y); }
#else
auto run(tx::tensor<double, tx::shape<3>> const& y, tx::tensor<double, tx::shape<4>> const& x) { return tx::polyfit<1>(x, y); }
#endif
