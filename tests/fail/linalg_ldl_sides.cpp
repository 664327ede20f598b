// expect: tx: linalg::ldl: takes real square matrices in the last two axes
#include <tracexpr/matrices.hpp>

#ifdef FIXED
auto run(tx::tensor<float, tx::shape<2, 3>> const& x) { return tx::linalg::ldl(tx::matmul(x, tx::transpose(x))); }
#else
auto run(tx::tensor<float, tx::shape<2, 3>> const& x) { return tx::linalg::ldl(x); }
#endif
