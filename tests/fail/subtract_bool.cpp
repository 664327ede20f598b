// expect: tx: this op does not take bool; cast the operands first
#include <tracexpr/trace/functions.hpp>

auto f([[maybe_unused]] tx::expr<bool, tx::shape<3>> x) {
#ifdef FIXED
    return tx::cast<int>(x) - x;
#else
    return x - x;
#endif
}
