// expect: tensors of places must broadcast to one shape
#include <tracexpr/tracexpr.hpp>

using matrix = tx::tensor<float, tx::shape<3, 4>>;
using three = tx::tensor<int, tx::shape<3>>;
#ifdef FIXED
auto added(matrix const& x, three const& i, three const& j) { return tx::add_at(x, 1, i, j); }
#else
auto added(matrix const& x, three const& i, tx::tensor<int, tx::shape<2>> const& j) { return tx::add_at(x, 1, i, j); }
#endif
