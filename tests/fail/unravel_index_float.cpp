// expect: tx: unravel_index: the numbers must be integers
#include <tracexpr/arrays.hpp>

#ifdef FIXED
auto run(tx::tensor<int, tx::shape<4>> const& i) { return tx::unravel_index(i, tx::shape<2, 3>{}); }
#else
auto run(tx::tensor<float, tx::shape<4>> const& x) { return tx::unravel_index(x, tx::shape<2, 3>{}); }
#endif
