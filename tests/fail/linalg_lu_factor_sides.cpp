// expect: tx: linalg::lu_factor: takes real square matrices in the last two axes
#include <tracexpr/matrices.hpp>

#ifdef FIXED
auto run(tx::tensor<float, tx::shape<2, 3>> const& x) { return tx::linalg::lu(x); }
#else
auto run(tx::tensor<float, tx::shape<2, 3>> const& x) { return tx::linalg::lu_factor(x); }
#endif
