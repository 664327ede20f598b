// expect: tx: function: the callable was called with 1 argument and must take 1
#include <tracexpr/tracexpr.hpp>

using vec = tx::tensor<float, tx::shape<2>>;
tx::function const summed{[](auto x, auto y) { return x + y; }};

#ifdef FIXED
auto run() { return summed(vec{1, 2}, 1); }
#else
auto run() { return summed(vec{1, 2}); }
#endif
