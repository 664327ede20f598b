// expect: tx: linalg::expm: takes real square matrices in the last two axes
#include <tracexpr/matrices.hpp>

#ifdef FIXED
auto run(tx::tensor<float, tx::shape<2, 3>> const& x) { return tx::linalg::expm(tx::matmul(x, tx::transpose(x))); }
#else
auto run(tx::tensor<float, tx::shape<2, 3>> const& x) { return tx::linalg::expm(x); }
#endif
