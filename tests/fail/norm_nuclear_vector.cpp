// expect: tx: linalg::norm: frobenius and nuclear are of matrices; name two axes
#include <tracexpr/tracexpr.hpp>

#ifdef FIXED
auto size(tx::tensor<float, tx::shape<2, 3>> const& x) { return tx::linalg::norm(x, tx::linalg::nuclear); }
#else
auto size(tx::tensor<float, tx::shape<6>> const& x) { return tx::linalg::norm(x, tx::linalg::nuclear); }
#endif
