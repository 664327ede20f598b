// expect: tx: nn: metrics: the truth and what is predicted must be of one shape
// lines: 30
#include <tracexpr/nn.hpp>
#include <tracexpr/tracexpr.hpp>

using matrix = tx::tensor<float, tx::shape<2, 3>>;
using vec = tx::tensor<float, tx::shape<3>>;
using labels = tx::tensor<int, tx::shape<2>>;
#ifdef FIXED
auto run(labels const& y, matrix const& x) { return tx::nn::accuracy(y, tx::argmax<-1>(x)); }
#else
auto run(labels const& y, vec const& x) { return tx::nn::accuracy(y, x); }
#endif
