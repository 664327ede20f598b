// expect: tx: nn: confusion_matrix, precision, recall, f1_score: the truth and what is predicted must be labels
// lines: 30
#include <tracexpr/nn.hpp>
#include <tracexpr/tracexpr.hpp>

using matrix = tx::tensor<float, tx::shape<2, 3>>;
using vec = tx::tensor<float, tx::shape<3>>;
using labels = tx::tensor<int, tx::shape<2>>;
#ifdef FIXED
auto run(vec const& y, vec const& x) { return tx::nn::precision(y > 0, x > 0); }
#else
auto run(vec const& y, vec const& x) { return tx::nn::precision(y, x); }
#endif
