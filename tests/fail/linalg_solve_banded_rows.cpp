// expect: tx: linalg::solve_banded: takes Lower + 1 + Upper diagonals in rows of n elements
#include <tracexpr/matrices.hpp>

#ifdef FIXED
auto run(tx::tensor<float, tx::shape<3, 4>> const& x) { return tx::linalg::solve_banded<1, 1>(x, tx::slice(x, tx::at<0>)); }
#else
auto run(tx::tensor<float, tx::shape<3, 4>> const& x) { return tx::linalg::solve_banded<2, 1>(x, tx::slice(x, tx::at<0>)); }
#endif
