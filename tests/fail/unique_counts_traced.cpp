// expect: tx: unique: how many there are follows from the values
#include <tracexpr/tracexpr.hpp>

using vec = tx::tensor<float, tx::shape<4>>;
#ifdef FIXED
tx::function const found{[](auto x) { return tx::unique_counts<9>(x); }};
#else
tx::function const found{[](auto x) { return tx::unique_counts(x); }};
#endif
auto run(vec const& x) { return found(x); }
