// expect: tx: bincount: how many numbers there are follows from the values
#include <tracexpr/tracexpr.hpp>

using vec = tx::tensor<int, tx::shape<4>>;
#ifdef FIXED
tx::function const found{[](auto x) { return tx::bincount<9>(x); }};
#else
tx::function const found{[](auto x) { return tx::bincount(x); }};
#endif
auto run(vec const& x) { return found(x); }
