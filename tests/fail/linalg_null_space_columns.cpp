// expect: tx: linalg::null_space: takes real matrices of k columns at least in the last two axes
#include <tracexpr/matrices.hpp>

#ifdef FIXED
auto run(tx::tensor<float, tx::shape<2, 3>> const& x) { return tx::linalg::null_space<1>(x); }
#else
auto run(tx::tensor<float, tx::shape<2, 3>> const& x) { return tx::linalg::null_space<4>(x); }
#endif
