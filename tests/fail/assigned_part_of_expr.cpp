// expect: x[i] is a copy of a part: write x(i, j) = v, or x = tx::set(x, v, i)
#include <tracexpr/tracexpr.hpp>

using matrix = tx::tensor<float, tx::shape<4, 7>>;
#ifdef FIXED
tx::function const copied{[](auto x) { x = tx::set(x, x[1], 0); return x; }};
#else
tx::function const copied{[](auto x) { x[0] = x[1]; return x; }};
#endif
auto run(matrix const& x) { return copied(x); }
