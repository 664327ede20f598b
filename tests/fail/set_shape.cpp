// expect: tx: set, add_at and their kin: the value must broadcast to the shape of slice(x, indices...)
#include <tracexpr/tracexpr.hpp>

using matrix = tx::tensor<float, tx::shape<2, 3>>;
#ifdef FIXED
auto set(matrix const& x, tx::tensor<float, tx::shape<3>> const& v) { return tx::set(x, v, 1); }
#else
auto set(matrix const& x, tx::tensor<float, tx::shape<2>> const& v) { return tx::set(x, v, 1); }
#endif
