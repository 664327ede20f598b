// expect: tx: linalg: an iterative solver takes a callable that multiplies by the matrix
#include <tracexpr/matrices.hpp>

#ifdef FIXED
auto run(tx::tensor<float, tx::shape<2, 2>> const& x) { return tx::linalg::conjugate_gradient([](auto const& v) { return v * 2; }, x); }
#else
auto run(tx::tensor<float, tx::shape<2, 2>> const& x) { return tx::linalg::conjugate_gradient(x, x); }
#endif
