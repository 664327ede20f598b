// expect: tx: function: a struct that the callable returns must hold tensors, or be a template of types only
// errors: 2
// lines: 60
#include <tracexpr/tracexpr.hpp>

#include <iostream>

using vec = tx::tensor<float, tx::shape<3>>;
#ifdef FIXED
template <class Y> struct result { Y y; };
#else
template <class Y, int Power = 1> struct result { Y y; };
#endif
tx::function const doubled{[](auto x) { return result<decltype(x * 2)>{x * 2}; }};
void run(vec const& x) { std::cout << doubled(x).y << '\n'; }
