// expect: tx: shifts and counts of bits take integers; cast the operands first
#include <tracexpr/trace/functions.hpp>

auto f([[maybe_unused]] tx::expr<float, tx::shape<3>> x) {
#ifdef FIXED
    return tx::cast<int>(x) << 1;
#else
    return x << x;
#endif
}
