// expect: tx: average: takes axes within the rank of x, and weights of the shape of x or of these axes
#include <tracexpr/statistics.hpp>
#include <tracexpr/tracexpr.hpp>

#ifdef FIXED
auto run(tx::tensor<double, tx::shape<3>> const& w, tx::tensor<double, tx::shape<4>> const&) { return tx::average(w, w); }
#else
auto run(tx::tensor<double, tx::shape<3>> const& w, tx::tensor<double, tx::shape<4>> const& x) { return tx::average(x, w); }
#endif
