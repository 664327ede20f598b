// expect: tx: cross: the axis must lie within both ranks, and have an extent of 3 in both
#include <tracexpr/trace/functions.hpp>

auto f([[maybe_unused]] tx::expr<float, tx::shape<3, 2>> x, [[maybe_unused]] tx::expr<float, tx::shape<3>> y) {
#ifdef FIXED
    return tx::cross(tx::transpose(x), y);
#else
    return tx::cross(x, y);
#endif
}
