// expect: tx: slice, set and their kin: too many indices
#include <tracexpr/tracexpr.hpp>

using matrix = tx::tensor<float, tx::shape<2, 3>>;
#ifdef FIXED
auto set(matrix const& x, int i) { return tx::set(x, 1, i, 0); }
#else
auto set(matrix const& x, int i) { return tx::set(x, 1, i, 0, 0); }
#endif
