// expect: tx: nn: confusion_matrix: there must be a class
// lines: 30
#include <tracexpr/nn.hpp>
#include <tracexpr/tracexpr.hpp>

using matrix = tx::tensor<float, tx::shape<2, 3>>;
using vec = tx::tensor<float, tx::shape<3>>;
using labels = tx::tensor<int, tx::shape<2>>;
#ifdef FIXED
auto run(labels const& y) { return tx::nn::confusion_matrix<2>(y, y); }
#else
auto run(labels const& y) { return tx::nn::confusion_matrix<0>(y, y); }
#endif
