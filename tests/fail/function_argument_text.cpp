// expect: tx: function: an argument must be a tensor
#include <tracexpr/tracexpr.hpp>

using vec = tx::tensor<float, tx::shape<2>>;
tx::function const named{[](auto x, auto) { return x * 2; }};

#ifdef FIXED
auto run() { return named(vec{1, 2}, tx::key("relu")); }
#else
auto run() { return named(vec{1, 2}, "relu"); }
#endif
