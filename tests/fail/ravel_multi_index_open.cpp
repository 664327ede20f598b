// expect: tx: ravel_multi_index: the shape must be static
#include <tracexpr/arrays.hpp>

#ifdef FIXED
auto run(tx::tensor<int, tx::shape<4>> const& i) { return tx::ravel_multi_index(std::tuple(i, i), tx::shape<2, 3>{}); }
#else
auto run(tx::tensor<int, tx::shape<4>> const& i) { return tx::ravel_multi_index(std::tuple(i, i), tx::shape<2, tx::dyn>{}); }
#endif
