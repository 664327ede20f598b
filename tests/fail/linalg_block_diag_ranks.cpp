// expect: tx: linalg::block_diag: takes matrices, vectors and numbers, one at least
#include <tracexpr/matrices.hpp>

#ifdef FIXED
auto run(tx::tensor<float, tx::shape<2, 3, 4>> const& x) { return tx::linalg::block_diag(tx::slice(x, tx::at<0>)); }
#else
auto run(tx::tensor<float, tx::shape<2, 3, 4>> const& x) { return tx::linalg::block_diag(x); }
#endif
