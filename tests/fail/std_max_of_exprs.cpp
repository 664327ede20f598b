// expect: tx: an expr has no value while it is traced
// shows: take tx::maximum(a, b) for std::max
// lines: 40
#include <tracexpr/tracexpr.hpp>
#include <algorithm>
#include <iostream>

using vec = tx::tensor<float, tx::shape<3>>;
#ifdef FIXED
tx::function const larger{[](auto x, auto y) { return tx::maximum(x, y); }};
#else
tx::function const larger{[](auto x, auto y) { return std::max(x, y); }};
#endif
void run(vec const& x, vec const& y) { std::cout << larger(x, y) << '\n'; }
