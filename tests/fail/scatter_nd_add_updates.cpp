// expect: tx: scatter_nd_add: indices must be integers, whose last axis has a place for each of the first axes of x, and updates
#include <tracexpr/arrays.hpp>

#ifdef FIXED
auto run(tx::tensor<float, tx::shape<4>> const& x, tx::tensor<int, tx::shape<4, 1>> const& i) {
    return tx::scatter_nd_add(x, i, x);
}
#else
auto run(tx::tensor<float, tx::shape<4>> const& x, tx::tensor<int, tx::shape<3, 1>> const& i) {
    return tx::scatter_nd_add(x, i, x);
}
#endif
