// expect: tx: mean: axes must differ and lie within the rank of x
#include <tracexpr/trace/functions.hpp>

auto f([[maybe_unused]] tx::expr<float, tx::shape<2, 3>> x) {
#ifdef FIXED
    return tx::mean<0, -1>(x);
#else
    return tx::mean<0, -2>(x);
#endif
}
