// expect: tx: static_function: how many parts a vector, map or optional has only the run tells; return an array
#include <tracexpr/tracexpr.hpp>

#include <array>
#include <vector>

using vec = tx::tensor<float, tx::shape<2>>;
#ifdef FIXED
tx::static_function const twice{[](auto x) { return std::array{x, x * 2}; }};
#else
tx::static_function const twice{[](auto x) { return std::vector{x, x * 2}; }};
#endif
auto run() { return twice(vec{1, 2}); }
