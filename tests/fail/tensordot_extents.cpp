// expect: tx: tensordot: needs as many axes of a as of b, with equal extents
#include <tracexpr/trace/functions.hpp>

auto f([[maybe_unused]] tx::expr<float, tx::shape<2, 3>> x, [[maybe_unused]] tx::expr<float, tx::shape<3, 4>> y) {
#ifdef FIXED
    return tx::tensordot(x, y, tx::axis<1>, tx::axis<0>);
#else
    return tx::tensordot(x, y, tx::axis<0>, tx::axis<0>);
#endif
}
