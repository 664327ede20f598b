// expect: tx: capture: a vector, map or optional can't be captured, because only the run tells how many parts it has
#include <tracexpr/tracexpr.hpp>

#include <vector>

using vec = tx::tensor<float, tx::shape<2>>;
std::vector<vec> weights{vec{1, 2}};
#ifdef FIXED
auto run() { return tx::function{[](auto x, auto const& w) { return x * w[0]; }}.bind(weights)(vec{1, 2}); }
#else
auto run() { return tx::function{[w = tx::capture(weights)](auto x) { return x * w[0]; }}(vec{1, 2}); }
#endif
