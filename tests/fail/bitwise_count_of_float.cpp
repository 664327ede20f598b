// expect: tx: bitwise_count: takes integers and bool; cast the operand first
#include <tracexpr/trace/functions.hpp>

auto f([[maybe_unused]] tx::expr<float, tx::shape<3>> x) {
#ifdef FIXED
    return tx::bitwise_count(tx::cast<int>(x));
#else
    return tx::bitwise_count(x);
#endif
}
