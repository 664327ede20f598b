// expect: tx: nn: cross_entropy, nll_loss: scores must be (..., classes), labels integers (...)
// lines: 30
#include <tracexpr/nn.hpp>
#include <tracexpr/tracexpr.hpp>

using matrix = tx::tensor<float, tx::shape<2, 3>>;
using vec = tx::tensor<float, tx::shape<3>>;
using labels = tx::tensor<int, tx::shape<2>>;
#ifdef FIXED
auto run(matrix const& x, labels const& y) { return tx::nn::cross_entropy(x, y); }
#else
auto run(matrix const& x, vec const& y) { return tx::nn::cross_entropy(x, y); }
#endif
