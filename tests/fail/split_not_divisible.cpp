// expect: tx: split: the extent of the axis must be divisible
#include <tracexpr/trace/functions.hpp>

auto f([[maybe_unused]] tx::expr<float, tx::shape<2, 3>> x) {
#ifdef FIXED
    return tx::split<3>(x, tx::axis<1>);
#else
    return tx::split<2>(x, tx::axis<1>);
#endif
}
