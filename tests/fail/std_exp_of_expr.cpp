// expect: tx: an expr has no number while it is traced
// lines: 60
#include <tracexpr/tracexpr.hpp>
#include <cmath>
#include <iostream>

using vec = tx::tensor<float, tx::shape<3>>;
#ifdef FIXED
tx::function const grown{[](auto x) { return tx::exp(x) + 1; }};
#else
tx::function const grown{[](auto x) { return std::exp(x) + 1; }};
#endif
void run(vec const& x) { std::cout << grown(x) << '\n'; }
