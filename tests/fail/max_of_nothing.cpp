// expect: tx: max: must not reduce an axis of extent 0
#include <tracexpr/trace/functions.hpp>

auto f([[maybe_unused]] tx::expr<float, tx::shape<2, 0>> x) {
#ifdef FIXED
    return tx::max(x, tx::axis<0>);
#else
    return tx::max(x, tx::axis<1>);
#endif
}
