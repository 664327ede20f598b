// expect: tx: unravel_index: the shape must be static and have an axis
#include <tracexpr/arrays.hpp>

#ifdef FIXED
auto run(tx::tensor<int, tx::shape<4>> const& i) { return tx::unravel_index(i, tx::shape<2, 3>{}); }
#else
auto run(tx::tensor<int, tx::shape<4>> const& i) { return tx::unravel_index(i, tx::shape<2, tx::dyn>{}); }
#endif
