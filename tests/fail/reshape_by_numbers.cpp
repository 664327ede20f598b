// expect: tx: axes, extents and the like are template arguments
#include <tracexpr/tracexpr.hpp>

using vec = tx::tensor<float, tx::shape<3>>;
#ifdef FIXED
tx::function const column{[](auto x) { return tx::reshape<3, 1>(x); }};
#else
tx::function const column{[](auto x) { return tx::reshape(x, 3, 1); }};
#endif
auto run(vec const& x) { return column(x); }
