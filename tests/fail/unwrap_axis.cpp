// expect: tx: unwrap: takes real numbers, an axis within the rank of x
#include <tracexpr/statistics.hpp>
#include <tracexpr/tracexpr.hpp>

#ifdef FIXED
auto run(tx::tensor<double, tx::shape<4>> const& x) { return tx::unwrap(x, tx::axis<0>); }
#else
auto run(tx::tensor<double, tx::shape<4>> const& x) { return tx::unwrap(x, tx::axis<1>); }
#endif
