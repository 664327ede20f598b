// expect: tx: nn: kl_divergence, cosine_similarity: both arguments must be real numbers of one shape
// lines: 30
#include <tracexpr/nn.hpp>
#include <tracexpr/tracexpr.hpp>

using matrix = tx::tensor<float, tx::shape<2, 3>>;
using vec = tx::tensor<float, tx::shape<3>>;
using labels = tx::tensor<int, tx::shape<2>>;
#ifdef FIXED
auto run(matrix const& x) { return tx::nn::kl_divergence(x, x); }
#else
auto run(matrix const& x, vec const& y) { return tx::nn::kl_divergence(x, y); }
#endif
