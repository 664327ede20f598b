// expect: tx: scatter_nd: the shape must be static; scatter_nd_add takes a tensor to add to
#include <tracexpr/arrays.hpp>

#ifdef FIXED
auto run(tx::tensor<float, tx::shape<4>> const& x, tx::tensor<int, tx::shape<4, 1>> const& i) {
    return tx::scatter_nd(i, x, tx::shape<8>{});
}
#else
auto run(tx::tensor<float, tx::shape<4>> const& x, tx::tensor<int, tx::shape<4, 1>> const& i) {
    return tx::scatter_nd(i, x, tx::shape<tx::dyn>{});
}
#endif
