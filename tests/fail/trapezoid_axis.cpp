// expect: tx: trapezoid, cumulative_trapezoid: take an axis within the rank of y
#include <tracexpr/statistics.hpp>
#include <tracexpr/tracexpr.hpp>

#ifdef FIXED
auto run(tx::tensor<double, tx::shape<4>> const& x) { return tx::trapezoid(x, tx::axis<0>); }
#else
auto run(tx::tensor<double, tx::shape<4>> const& x) { return tx::trapezoid(x, tx::axis<1>); }
#endif
