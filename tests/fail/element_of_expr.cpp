// expect: tx: x(i, j) of an expr takes a place for each axis
#include <tracexpr/tracexpr.hpp>

using matrix = tx::tensor<float, tx::shape<2, 3>>;
#ifdef FIXED
tx::function const first{[](auto x) { return x[0] * 2; }};
#else
tx::function const first{[](auto x) { return x(0) * 2; }};
#endif
auto run(matrix const& x) { return first(x); }
