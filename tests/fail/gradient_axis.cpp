// expect: tx: gradient: takes axes within the rank of f, of two samples or more
#include <tracexpr/statistics.hpp>
#include <tracexpr/tracexpr.hpp>

#ifdef FIXED
auto run(tx::tensor<double, tx::shape<4>> const& x) { return tx::gradient(x, tx::axis<0>); }
#else
auto run(tx::tensor<double, tx::shape<4>> const& x) { return tx::gradient(x, tx::axis<1>); }
#endif
