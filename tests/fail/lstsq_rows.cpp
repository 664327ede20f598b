// expect: tx: linalg::lstsq: takes matrices a (..., m, n) and b (..., m, k) or (m), leading extents broadcasting
#include <tracexpr/tracexpr.hpp>

#ifdef FIXED
auto solution(tx::tensor<float, tx::shape<4, 2>> const& a, tx::tensor<float, tx::shape<4>> const& b) { return tx::linalg::lstsq(a, b); }
#else
auto solution(tx::tensor<float, tx::shape<4, 2>> const& a, tx::tensor<float, tx::shape<2>> const& b) { return tx::linalg::lstsq(a, b); }
#endif
