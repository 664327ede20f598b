// expect: tx: array_split: the axis must lie within the rank of x, and the type must tell its extent
#include <tracexpr/arrays.hpp>

#ifdef FIXED
auto run(tx::tensor<float, tx::shape<tx::dyn, 3>> const& x) { return tx::array_split<2>(x, tx::axis<1>); }
#else
auto run(tx::tensor<float, tx::shape<tx::dyn>> const& x) { return tx::array_split<2>(x); }
#endif
