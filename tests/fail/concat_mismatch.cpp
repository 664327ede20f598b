// expect: tx: concat: the operands must have the same rank and equal extents
#include <tracexpr/trace/functions.hpp>

auto f([[maybe_unused]] tx::expr<float, tx::shape<2, 3>> x, [[maybe_unused]] tx::expr<float, tx::shape<3, 4>> y) {
#ifdef FIXED
    return tx::concat(tx::axis<0>, x, x);
#else
    return tx::concat(tx::axis<0>, x, y);
#endif
}
