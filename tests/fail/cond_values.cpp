// expect: tx: cond: both branches must be callables that take the operands
#include <tracexpr/tracexpr.hpp>

auto call() {
    tx::tensor<float, tx::shape<2>> const x{1, 2};
    return tx::function{[](auto a) {
#ifdef FIXED
        return tx::where(tx::sum(a) > 0, a, -a);
#else
        return tx::cond(tx::sum(a) > 0, a, -a);
#endif
    }}(x);
}
