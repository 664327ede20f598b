// expect: tx: function: an argument must be a tensor
#include <tracexpr/tracexpr.hpp>
#include <vector>

using vec = tx::tensor<float, tx::shape<2>>;
tx::function const doubled{[](auto x) { return x * 2; }};

#ifdef FIXED
auto run() { return doubled(vec{1, 2}); }
#else
auto run() { return doubled(std::vector<float>{1, 2}); }
#endif
