// expect: tx: gradient: f must have an axis; where the type leaves its rank open, name the axes
#include <tracexpr/statistics.hpp>
#include <tracexpr/tracexpr.hpp>

#ifdef FIXED
auto run(tx::tensor<double> const& x) { return tx::gradient(x, tx::axis<0>); }
#else
auto run(tx::tensor<double> const& x) { return tx::gradient(x); }
#endif
