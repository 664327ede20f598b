// expect: tx: grad: the callable must return a real scalar; sum over the result, or use tx::vjp or tx::jacrev
#include <tracexpr/tracexpr.hpp>

auto slope() {
    auto const doubled = [](auto const& x) { return x * 2.0; };
    auto const total = [](auto const& x) { return sum(x * 2.0); };
    tx::tensor<double, tx::shape<3>> const x{1, 2, 3};
#ifdef FIXED
    static_cast<void>(doubled);
    return tx::grad(total)(x);
#else
    static_cast<void>(total);
    return tx::grad(doubled)(x);
#endif
}
