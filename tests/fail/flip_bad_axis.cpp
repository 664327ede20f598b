// expect: tx: flip: axes must differ and lie within the rank of x
#include <tracexpr/trace/functions.hpp>

auto f([[maybe_unused]] tx::expr<float, tx::shape<2, 3>> x) {
#ifdef FIXED
    return tx::flip<1>(x);
#else
    return tx::flip<2>(x);
#endif
}
