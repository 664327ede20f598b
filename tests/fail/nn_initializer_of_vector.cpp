// expect: tx: nn: initializers: the shape must be that of a kernel, (window..., in, out)
// lines: 30
#include <tracexpr/nn.hpp>
#include <tracexpr/tracexpr.hpp>

using matrix = tx::tensor<float, tx::shape<2, 3>>;
using vec = tx::tensor<float, tx::shape<3>>;
using labels = tx::tensor<int, tx::shape<2>>;
#ifdef FIXED
auto run(tx::random::key const& k) { return tx::nn::he_normal(k, tx::shape<3, 4>{}); }
#else
auto run(tx::random::key const& k) { return tx::nn::he_normal(k, tx::shape<3>{}); }
#endif
