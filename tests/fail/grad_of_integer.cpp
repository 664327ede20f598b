// expect: tx: grad: an argument to differentiate for must be of floating or complex dtype; cast it, or choose others as in tx::grad<1>
#include <tracexpr/tracexpr.hpp>

auto slope() {
    auto const f = [](auto const& n, auto const& x) { return sum(n * x); };
    tx::tensor<int, tx::shape<3>> const n{1, 2, 3};
    tx::tensor<double, tx::shape<3>> const x{1, 2, 3};
#ifdef FIXED
    return tx::grad<1>(f)(n, x);
#else
    return tx::grad(f)(n, x);
#endif
}
