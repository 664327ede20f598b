// expect: tx: segment_sum and its kin: the number of segments must not be negative
#include <tracexpr/arrays.hpp>

#ifdef FIXED
auto run(tx::tensor<float, tx::shape<4>> const& x, tx::tensor<int, tx::shape<4>> const& i) { return tx::segment_sum<1>(x, i); }
#else
auto run(tx::tensor<float, tx::shape<4>> const& x, tx::tensor<int, tx::shape<4>> const& i) { return tx::segment_sum<-1>(x, i); }
#endif
