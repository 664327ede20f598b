// expect: tx: linalg::condition_number: takes real matrices in the last two axes
// errors: 4
#include <tracexpr/matrices.hpp>

#ifdef FIXED
auto run(tx::tensor<float, tx::shape<4>> const& x) { return tx::linalg::condition_number(tx::reshape<2, 2>(x)); }
#else
auto run(tx::tensor<float, tx::shape<4>> const& x) { return tx::linalg::condition_number(x); }
#endif
