// expect: tx: axes, extents and the like are template arguments
// lines: 40
#include <tracexpr/tracexpr.hpp>
#include <iostream>

using vec = tx::tensor<float, tx::shape<3>>;
#ifdef FIXED
void run(vec const& x) { std::cout << tx::expand_dims(x, tx::axis<0>) << '\n'; }
#else
void run(vec const& x, int axis) { std::cout << tx::expand_dims(x, axis) << '\n'; }
#endif
