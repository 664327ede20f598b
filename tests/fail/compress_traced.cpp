// expect: tx: compress: how many elements there are follows from the mask's values
#include <tracexpr/tracexpr.hpp>

using vec = tx::tensor<float, tx::shape<3>>;
#ifdef FIXED
auto run(vec const& x) { return tx::compress(x > 0, x); }
#else
tx::function const positive{[](auto x) { return tx::compress(x > 0, x); }};
auto run(vec const& x) { return positive(x); }
#endif
