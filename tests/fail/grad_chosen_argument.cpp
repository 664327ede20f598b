// expect: tx: grad: the chosen arguments must be arguments of the call
#include <tracexpr/tracexpr.hpp>

auto slope() {
    auto const f = [](auto const& x) { return sum(x); };
    tx::tensor<double, tx::shape<3>> const x{1, 2, 3};
#ifdef FIXED
    return tx::grad<0>(f)(x);
#else
    return tx::grad<1>(f)(x);
#endif
}
