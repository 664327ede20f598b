// expect: tx: function: the callable must take as many arguments as the call has
#include <tracexpr/tracexpr.hpp>

using vec = tx::tensor<float, tx::shape<2>>;
tx::function const summed{[](auto x, auto y) { return x + y; }};

#ifdef FIXED
auto run() { return summed(vec{1, 2}, 1); }
#else
auto run() { return summed(vec{1, 2}); }
#endif
