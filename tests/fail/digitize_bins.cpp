// expect: tx: digitize: the bins must be a vector whose type tells its rank
#include <tracexpr/statistics.hpp>
#include <tracexpr/tracexpr.hpp>

#ifdef FIXED
auto run(tx::tensor<double, tx::shape<2, 2>> const& b, tx::tensor<double, tx::shape<4>> const& x) { return tx::digitize(b, x); }
#else
auto run(tx::tensor<double, tx::shape<2, 2>> const& b, tx::tensor<double, tx::shape<4>> const& x) { return tx::digitize(x, b); }
#endif
