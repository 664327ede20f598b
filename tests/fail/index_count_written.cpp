// expect: tx: x(i, j) of a tensor takes an index for each axis; x[i] is a part
// lines: 15
#include <tracexpr/tracexpr.hpp>

using matrix = tx::tensor<float, tx::shape<2, 4>>;
#ifdef FIXED
void run(matrix& x) { x(1, 0) = 1; }
#else
void run(matrix& x) { x(1) = 1; }
#endif
