// expect: tx: matmul: the leading extents, all but the last two, must broadcast
#include <tracexpr/trace/functions.hpp>

auto f([[maybe_unused]] tx::expr<float, tx::shape<2, 2, 3>> b, [[maybe_unused]] tx::expr<float, tx::shape<3, 4>> y) {
#ifdef FIXED
    return tx::matmul(b, y);
#else
    return tx::matmul(tx::expand_dims<0>(b), tx::broadcast_to<3, 3, 4>(y));
#endif
}
