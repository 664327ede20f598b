// expect: tx: nonzero: how many places there are follows from the values
#include <tracexpr/tracexpr.hpp>

using vec = tx::tensor<float, tx::shape<4>>;
#ifdef FIXED
tx::function const found{[](auto x) { return tx::nonzero<9>(x)[0]; }};
#else
tx::function const found{[](auto x) { return tx::nonzero(x)[0]; }};
#endif
auto run(vec const& x) { return found(x); }
