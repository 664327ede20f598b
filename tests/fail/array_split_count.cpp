// expect: tx: array_split: there must be at least one part
#include <tracexpr/arrays.hpp>

#ifdef FIXED
auto run(tx::tensor<float, tx::shape<4>> const& x) { return tx::array_split<3>(x); }
#else
auto run(tx::tensor<float, tx::shape<4>> const& x) { return tx::array_split<0>(x); }
#endif
