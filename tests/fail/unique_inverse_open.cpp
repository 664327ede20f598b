// expect: tx: unique_inverse, unique_all: at most one extent of x may be open
#include <tracexpr/tracexpr.hpp>

#ifdef FIXED
using table = tx::tensor<float, tx::shape<tx::dyn, 3>>;
#else
using table = tx::tensor<float, tx::shape<tx::dyn, tx::dyn>>;
#endif
auto run(table const& x) { return tx::unique_inverse<4>(x); }
