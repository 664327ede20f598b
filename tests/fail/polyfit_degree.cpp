// expect: tx: polyfit: the degree must not be negative
#include <tracexpr/statistics.hpp>
#include <tracexpr/tracexpr.hpp>

#ifdef FIXED
auto run(tx::tensor<double, tx::shape<4>> const& x) { return tx::polyfit<1>(x, x); }
#else
auto run(tx::tensor<double, tx::shape<4>> const& x) { return tx::polyfit<-1>(x, x); }
#endif
