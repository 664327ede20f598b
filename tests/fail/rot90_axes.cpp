// expect: tx: rot90: the two axes must differ and lie within the rank of x; negative ones count from the end
#include <tracexpr/arrays.hpp>

#ifdef FIXED
auto run(tx::tensor<float, tx::shape<2, 2>> const& m) { return tx::rot90(m, tx::axis<1, 0>); }
#else
auto run(tx::tensor<float, tx::shape<2, 2>> const& m) { return tx::rot90(m, tx::axis<1, -1>); }
#endif
