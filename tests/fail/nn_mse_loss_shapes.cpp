// expect: tx: nn: losses: predictions and targets must be real numbers of one shape
// lines: 30
#include <tracexpr/nn.hpp>
#include <tracexpr/tracexpr.hpp>

using matrix = tx::tensor<float, tx::shape<2, 3>>;
using vec = tx::tensor<float, tx::shape<3>>;
using labels = tx::tensor<int, tx::shape<2>>;
#ifdef FIXED
auto run(matrix const& x, vec const& y) { return tx::nn::mse_loss(x, tx::broadcast_to<2, 3>(y)); }
#else
auto run(matrix const& x, vec const& y) { return tx::nn::mse_loss(x, y); }
#endif
