// expect: tx: function: the callable must return a tensor
#include <tracexpr/tracexpr.hpp>

using vec = tx::tensor<float, tx::shape<2>>;

#ifdef FIXED
tx::function const named{[](auto x) { return x; }};
#else
tx::function const named{[](auto) { return "text"; }};
#endif
auto run() { return named(vec{1, 2}); }
