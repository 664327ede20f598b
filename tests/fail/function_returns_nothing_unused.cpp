// expect: tx: function: the callable returns nothing and has no effect; return what it computes
// lines: 30
#include <tracexpr/tracexpr.hpp>

using vec = tx::tensor<float, tx::shape<3>>;
#ifdef FIXED
tx::function const shown{[](auto x) { tx::print("{}", x * 2); }};
#else
tx::function const shown{[](auto x) { static_cast<void>(x * 2); }};
#endif
void run(vec const& x) { shown(x); }
