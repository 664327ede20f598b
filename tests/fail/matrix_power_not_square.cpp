// expect: tx: linalg::matrix_power: the last two extents of a must be equal; its shape stands in the note above
#include <tracexpr/tracexpr.hpp>

#ifdef FIXED
auto power(tx::tensor<float, tx::shape<2, 2>> const& a) { return tx::linalg::matrix_power<3>(a); }
#else
auto power(tx::tensor<float, tx::shape<2, 3>> const& a) { return tx::linalg::matrix_power<3>(a); }
#endif
