// expect: tx: argpartition: takes real numbers, an axis within the rank of x, and a place within the axis
#include <tracexpr/statistics.hpp>
#include <tracexpr/tracexpr.hpp>

#ifdef FIXED
auto run(tx::tensor<double, tx::shape<4>> const& x) { return tx::argpartition<-4>(x); }
#else
auto run(tx::tensor<double, tx::shape<4>> const& x) { return tx::argpartition<-5>(x); }
#endif
