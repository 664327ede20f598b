// expect: tx: the axes that a reduction keeps are asked for by tx::keepdims, and not by a bool
#include <tracexpr/tracexpr.hpp>

using matrix = tx::tensor<float, tx::shape<2, 3>>;
#ifdef FIXED
auto run(matrix const& x) { return tx::sum(x, tx::axis<1>, tx::keepdims); }
#else
auto run(matrix const& x) { return tx::sum(x, tx::axis<1>, true); }
#endif
