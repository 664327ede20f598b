// expect: tx: x[i] is a copy of a part; write x(i, j) = v, or x = tx::set(x, v, i)
#include <tracexpr/tracexpr.hpp>

using matrix = tx::tensor<float, tx::shape<2, 3>>;
#ifdef FIXED
void clear(matrix& x) { x = tx::set(x, 0, 1); }
#else
void clear(matrix& x) { x[1] = 0; }
#endif
