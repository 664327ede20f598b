// expect: tx: linalg::solve_banded: takes diagonals and b, with the numbers of diagonals below and above in <>
#include <tracexpr/matrices.hpp>

auto f(tx::tensor<double, tx::shape<3, 4>> const& x, tx::tensor<double, tx::shape<4>> const& b) {
#ifdef FIXED
    return tx::linalg::solve_banded<1, 1>(x, b);
#else
    return tx::linalg::solve_banded(x, b);
#endif
}
