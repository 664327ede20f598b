// expect: tx: polyval: the coefficients must be a vector whose type tells its rank
#include <tracexpr/statistics.hpp>
#include <tracexpr/tracexpr.hpp>

#ifdef FIXED
auto run(tx::tensor<double> const& p) { return tx::polyval(tx::tensor<double, tx::shape<tx::dyn>>(p), 2); }
#else
auto run(tx::tensor<double> const& p) { return tx::polyval(p, 2); }
#endif
