// expect: tx: +=, -= and their kin keep the shape of their left side
#include <tracexpr/tracexpr.hpp>

using vec = tx::tensor<float, tx::shape<3>>;
using matrix = tx::tensor<float, tx::shape<2, 3>>;
#ifdef FIXED
auto add(vec const& x, matrix const& y) { return x + y; }
#else
auto add(vec x, matrix const& y) { return x += y; }
#endif
