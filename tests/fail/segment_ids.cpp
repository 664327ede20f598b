// expect: tx: segment_sum and its kin: ids must be integers, one for each of the values along the first axis
#include <tracexpr/arrays.hpp>

#ifdef FIXED
auto run(tx::tensor<float, tx::shape<4>> const& x, tx::tensor<int, tx::shape<4>> const& i) { return tx::segment_sum<2>(x, i); }
#else
auto run(tx::tensor<float, tx::shape<4>> const& x, tx::tensor<float, tx::shape<4>> const& x2) {
    return tx::segment_sum<2>(x, x2);
}
#endif
