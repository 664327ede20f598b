// expect: tx: function: the callable returns nothing
#include <tracexpr/tracexpr.hpp>

using vec = tx::tensor<float, tx::shape<3>>;
#ifdef FIXED
tx::function const doubled{[](auto x) { return x * 2; }};
#else
tx::function const doubled{[](auto x) { static_cast<void>(x * 2); }};
#endif
tx::tensor<float> run(vec const& x) { return doubled(x); }
