// expect: tx: an expr has no value while it is traced
#include <tracexpr/trace/functions.hpp>

auto f(tx::expr<float, tx::shape<>> x) {
#ifdef FIXED
    return tx::where(x > 0, x, -x);
#else
    return x > 0 ? x : -x;
#endif
}
