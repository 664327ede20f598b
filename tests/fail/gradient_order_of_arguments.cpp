// expect: tx: gradient: spacings stand before tx::axis and tx::edge_order
#include <tracexpr/statistics.hpp>
#include <tracexpr/tracexpr.hpp>

#ifdef FIXED
auto run(tx::tensor<double, tx::shape<4>> const& x) { return tx::gradient(x, 0.5, tx::axis<0>); }
#else
auto run(tx::tensor<double, tx::shape<4>> const& x) { return tx::gradient(x, tx::axis<0>, 0.5); }
#endif
