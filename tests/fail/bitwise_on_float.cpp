// expect: tx: bitwise ops take integers and bool; cast the operands first
#include <tracexpr/trace/functions.hpp>

auto f([[maybe_unused]] tx::expr<float, tx::shape<2, 3>> x, [[maybe_unused]] tx::expr<std::int64_t, tx::shape<2, 3>> i) {
#ifdef FIXED
    return i & i;
#else
    return x & x;
#endif
}
