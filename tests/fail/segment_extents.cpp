// expect: tx: segment_sum and its kin: ids must have the extents of the values' first axes
#include <tracexpr/arrays.hpp>

#ifdef FIXED
auto run(tx::tensor<float, tx::shape<4>> const& x, tx::tensor<int, tx::shape<4>> const& i) { return tx::segment_max<2>(x, i); }
#else
auto run(tx::tensor<float, tx::shape<5>> const& x, tx::tensor<int, tx::shape<4>> const& i) { return tx::segment_max<2>(x, i); }
#endif
