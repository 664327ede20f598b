// expect: tx: nn: top_k_accuracy: k must be positive
// lines: 30
#include <tracexpr/nn.hpp>
#include <tracexpr/tracexpr.hpp>

using matrix = tx::tensor<float, tx::shape<2, 3>>;
using vec = tx::tensor<float, tx::shape<3>>;
using labels = tx::tensor<int, tx::shape<2>>;
#ifdef FIXED
auto run(labels const& y, matrix const& x) { return tx::nn::top_k_accuracy<1>(y, x); }
#else
auto run(labels const& y, matrix const& x) { return tx::nn::top_k_accuracy<0>(y, x); }
#endif
