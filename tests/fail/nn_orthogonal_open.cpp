// expect: tx: nn: orthogonal: the shape must be that of a kernel
// lines: 30
#include <tracexpr/nn.hpp>
#include <tracexpr/tracexpr.hpp>

using matrix = tx::tensor<float, tx::shape<2, 3>>;
using vec = tx::tensor<float, tx::shape<3>>;
using labels = tx::tensor<int, tx::shape<2>>;
#ifdef FIXED
auto run(tx::random::key const& k) { return tx::nn::orthogonal(k, tx::shape<3, 4>{}); }
#else
auto run(tx::random::key const& k) { return tx::nn::orthogonal(k, tx::shape<tx::dyn, 4>{}); }
#endif
