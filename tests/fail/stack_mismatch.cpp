// expect: tx: stack: the operands must have the same shape
#include <tracexpr/trace/functions.hpp>

auto f([[maybe_unused]] tx::expr<float, tx::shape<2, 3>> x, [[maybe_unused]] tx::expr<float, tx::shape<3>> v) {
#ifdef FIXED
    return tx::stack(tx::axis<0>, v, v);
#else
    return tx::stack(tx::axis<0>, x, v);
#endif
}
