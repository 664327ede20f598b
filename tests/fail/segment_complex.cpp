// expect: tx: segment_sum and its kin: takes numbers, and for min and max those that have an order
#include <tracexpr/arrays.hpp>

#ifdef FIXED
auto run(tx::tensor<std::complex<float>, tx::shape<4>> const& x, tx::tensor<int, tx::shape<4>> const& i) {
    return tx::segment_sum<2>(x, i);
}
#else
auto run(tx::tensor<std::complex<float>, tx::shape<4>> const& x, tx::tensor<int, tx::shape<4>> const& i) {
    return tx::segment_max<2>(x, i);
}
#endif
