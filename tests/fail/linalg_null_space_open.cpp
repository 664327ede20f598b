// expect: tx: linalg::null_space: the type must tell the columns; or give k, null_space<k>(a)
#include <tracexpr/matrices.hpp>

#ifdef FIXED
auto run(tx::tensor<float, tx::shape<2, tx::dyn>> const& x) { return tx::linalg::null_space<1>(x); }
#else
auto run(tx::tensor<float, tx::shape<2, tx::dyn>> const& x) { return tx::linalg::null_space(x); }
#endif
