// expect: tx: grad: an argument to differentiate for must be of floating or complex dtype; cast it, or choose others as in tx::grad<1>
#include <tracexpr/tracexpr.hpp>

auto slope() {
    tx::tensor<int, tx::shape<3>> const n{1, 2, 3};
    auto const f = [](auto const& a) { return sum(a * a); };
#ifdef FIXED
    return tx::grad(f)(tx::cast<double>(n));
#else
    return tx::grad(f)(n); // that the sum is of integers, too, is not what to mend
#endif
}
