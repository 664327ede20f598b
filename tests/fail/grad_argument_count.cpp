// expect: tx: grad, vjp, jvp: the callable must take the arguments of the call: as many, and of their types
#include <tracexpr/tracexpr.hpp>

auto slope() {
    auto const f = [](auto const& x, auto const& y) { return sum(x * y); };
    tx::tensor<double, tx::shape<3>> const x{1, 2, 3};
#ifdef FIXED
    return tx::grad(f)(x, x);
#else
    return tx::grad(f)(x);
#endif
}
