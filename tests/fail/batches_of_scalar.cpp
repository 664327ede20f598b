// expect: tx: batches: takes tensors whose types tell their rank
// lines: 30
#include <tracexpr/nn.hpp>
#include <tracexpr/tracexpr.hpp>

using matrix = tx::tensor<float, tx::shape<2, 3>>;
using vec = tx::tensor<float, tx::shape<3>>;
using labels = tx::tensor<int, tx::shape<2>>;
#ifdef FIXED
auto run(tx::tensor<double> const& x) { return tx::batches(tx::tensor<double, tx::shape<tx::dyn>>(x), 2); }
#else
auto run(tx::tensor<double> const& x) { return tx::batches(x, 2); }
#endif
