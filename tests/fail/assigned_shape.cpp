// expect: tx: an expr keeps its dtype and shape
#include <tracexpr/tracexpr.hpp>

using matrix = tx::tensor<float, tx::shape<2, 3>>;
#ifdef FIXED
tx::function const total{[](auto x) { auto const y = tx::sum(x, tx::axis<0>); return y; }};
#else
tx::function const total{[](auto x) { x = tx::sum(x, tx::axis<0>); return x; }};
#endif
auto run(matrix const& x) { return total(x); }
