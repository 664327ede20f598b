// expect: tx: linalg::lu_solve: takes what lu_factor gives
#include <tracexpr/matrices.hpp>

#ifdef FIXED
auto run(tx::tensor<float, tx::shape<2, 2>> const& x) { return tx::linalg::lu_solve(x, tx::linalg::lu_factor(x).second, x); }
#else
auto run(tx::tensor<float, tx::shape<2, 2>> const& x) { return tx::linalg::lu_solve(x, x, x); }
#endif
