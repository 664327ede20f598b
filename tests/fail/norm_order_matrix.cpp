// expect: tx: linalg::norm: matrices have the orders 1, -1, 2, -2, order_inf, order_minus_inf, frobenius and nuclear
#include <tracexpr/tracexpr.hpp>

#ifdef FIXED
auto size(tx::tensor<float, tx::shape<2, 3>> const& x) { return tx::linalg::norm(x, tx::order<2>); }
#else
auto size(tx::tensor<float, tx::shape<2, 3>> const& x) { return tx::linalg::norm(x, tx::order<3>); }
#endif
