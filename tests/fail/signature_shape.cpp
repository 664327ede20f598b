// expect: tx: function: the argument's shape must fit its spec
#include <tracexpr/tracexpr.hpp>

tx::function const row_totals{[](auto x) { return tx::sum(x); }, tx::signature<tx::spec<float, tx::shape<tx::dyn, 2>>>{}};

#ifdef FIXED
auto run(tx::tensor<float, tx::shape<3, 2>> const& x) { return row_totals(x); }
#else
auto run(tx::tensor<float, tx::shape<3>> const& x) { return row_totals(x); }
#endif
