// expect: tx: linalg::svd: takes a matrix, or several in the last two axes; its shape stands in the note above
#include <tracexpr/tracexpr.hpp>

#ifdef FIXED
auto factors(tx::tensor<float, tx::shape<3, 1>> const& a) { return tx::linalg::svd(a); }
#else
auto factors(tx::tensor<float, tx::shape<3>> const& a) { return tx::linalg::svd(a); }
#endif
