// expect: tx: function: a function itself can't be printed; print its result, f(x), or its graph
// lines: 40
#include <tracexpr/tracexpr.hpp>
#include <iostream>

using vec = tx::tensor<float, tx::shape<3>>;
tx::function const doubled{[](auto x) { return x * 2; }};
#ifdef FIXED
void run(vec const& x) { std::cout << doubled(x) << tx::graph_of<tx::spec<float, tx::shape<3>>>(doubled).to_text() << '\n'; }
#else
void run(vec const&) { std::cout << doubled << '\n'; }
#endif
