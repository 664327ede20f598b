// expect: tx: function: the argument must have its spec's dtype
#include <tracexpr/tracexpr.hpp>

tx::function const row_totals{[](auto x) { return tx::sum(x); }, tx::signature<tx::spec<float, tx::shape<tx::dyn, 2>>>{}};

#ifdef FIXED
auto run(tx::tensor<float> const& x) { return row_totals(x); }
#else
auto run(tx::tensor<double> const& x) { return row_totals(x); }
#endif
