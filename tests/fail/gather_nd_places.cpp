// expect: tx: gather_nd: indices must be integers, whose last axis, of known extent, has a place for each of the first axes of x
#include <tracexpr/arrays.hpp>

#ifdef FIXED
auto run(tx::tensor<float, tx::shape<4>> const& x, tx::tensor<int, tx::shape<3, 1>> const& i) { return tx::gather_nd(x, i); }
#else
auto run(tx::tensor<float, tx::shape<4>> const& x, tx::tensor<int, tx::shape<3, 2>> const& i) { return tx::gather_nd(x, i); }
#endif
