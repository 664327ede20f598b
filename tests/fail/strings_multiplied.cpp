// expect: tx: this op does not take operands of this dtype; cast them first
#include <tracexpr/trace/functions.hpp>

auto f([[maybe_unused]] tx::expr<std::string, tx::shape<2>> x) {
#ifdef FIXED
    return x + x;
#else
    return x * x;
#endif
}
