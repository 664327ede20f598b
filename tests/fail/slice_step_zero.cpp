// expect: tx: slice: the step of a range must not be 0
#include <tracexpr/trace/functions.hpp>

auto f([[maybe_unused]] tx::expr<float, tx::shape<2, 3>> x) {
#ifdef FIXED
    return tx::slice(x, tx::range<0, 1, 2>);
#else
    return tx::slice(x, tx::range<0, 1, 0>);
#endif
}
