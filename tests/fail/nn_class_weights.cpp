// expect: tx: nn: losses: .weights must be a vector of real numbers, one for each class
// lines: 30
#include <tracexpr/nn.hpp>
#include <tracexpr/tracexpr.hpp>

using matrix = tx::tensor<float, tx::shape<2, 3>>;
using vec = tx::tensor<float, tx::shape<3>>;
using labels = tx::tensor<int, tx::shape<2>>;
#ifdef FIXED
auto run(matrix const& x, labels const& y, vec const& w) { return tx::nn::cross_entropy(x, y, {.weights = w}); }
#else
auto run(matrix const& x, labels const& y) { return tx::nn::cross_entropy(x, y, {.weights = x}); }
#endif
