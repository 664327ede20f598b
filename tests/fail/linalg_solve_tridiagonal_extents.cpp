// expect: tx: linalg::solve_tridiagonal: takes three diagonals (..., n), and b (..., n, k) or (n)
#include <tracexpr/matrices.hpp>

#ifdef FIXED
auto run(tx::tensor<float, tx::shape<4>> const& x) { return tx::linalg::solve_tridiagonal(x, x, x, x); }
#else
auto run(tx::tensor<float, tx::shape<4>> const& x) { return tx::linalg::solve_tridiagonal(x, x, x, tx::slice(x, tx::range<0, 3>)); }
#endif
