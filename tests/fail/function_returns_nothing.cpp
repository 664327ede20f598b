// expect: tx: function: the callable returns nothing
// lines: 40
#include <tracexpr/tracexpr.hpp>
#include <iostream>

using vec = tx::tensor<float, tx::shape<3>>;
#ifdef FIXED
tx::function const doubled{[](auto x) { return x * 2; }};
#else
tx::function const doubled{[](auto x) { static_cast<void>(x * 2); }};
#endif
void run(vec const& x) { std::cout << doubled(x) << '\n'; }
