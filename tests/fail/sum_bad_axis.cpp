// expect: tx: sum: axes must differ and lie within the rank of x
#include <tracexpr/trace/functions.hpp>

auto f([[maybe_unused]] tx::expr<float, tx::shape<2, 3>> x) {
#ifdef FIXED
    return tx::sum(x, tx::axis<1>);
#else
    return tx::sum(x, tx::axis<2>);
#endif
}
