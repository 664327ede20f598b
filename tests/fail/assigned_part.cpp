// expect: tx: a const tensor is not assigned to, and x[i] is a copy of a part
#include <tracexpr/tracexpr.hpp>

using matrix = tx::tensor<float, tx::shape<2, 3>>;
#ifdef FIXED
void clear(matrix& x) { x = tx::set(x, 0, 1); }
#else
void clear(matrix& x) { x[1] = 0; }
#endif
