// expect: tx: diff: the axis must lie within the rank of x
#include <tracexpr/trace/functions.hpp>

auto f([[maybe_unused]] tx::expr<float, tx::shape<3, 2>> x) {
#ifdef FIXED
    return tx::diff(x, tx::axis<1>);
#else
    return tx::diff(x, tx::axis<2>);
#endif
}
