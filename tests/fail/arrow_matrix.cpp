// expect: tx: arrow: a column has one axis, tx::shape<tx::dyn>; take the columns of a matrix one by one
#include <tracexpr/arrow.hpp>

#ifdef FIXED
using shape = tx::shape<tx::dyn>;
#else
using shape = tx::shape<tx::dyn, 3>;
#endif
auto run(tx::tensor<double, shape> const& x) { return tx::to_arrow(x); }
