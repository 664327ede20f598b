// expect: use of deleted function | attempt to use a deleted function
#include <tracexpr/trace/functions.hpp>

auto f(tx::expr<float, tx::shape<>> x) {
#ifdef FIXED
    return tx::where(x > 0, x, -x);
#else
    return x > 0 ? x : -x;
#endif
}
