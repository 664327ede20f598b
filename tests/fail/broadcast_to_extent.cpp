// expect: tx: broadcast_to: extents of x, aligned from the right
#include <tracexpr/trace/functions.hpp>

auto f([[maybe_unused]] tx::expr<float, tx::shape<2, 3>> x) {
#ifdef FIXED
    return tx::broadcast_to(x, tx::shape<4, 2, 3>{});
#else
    return tx::broadcast_to(x, tx::shape<4, 3>{});
#endif
}
