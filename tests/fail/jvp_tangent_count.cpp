// expect: tx: jvp: takes a tangent for each argument, behind the arguments: (x..., dx...)
#include <tracexpr/tracexpr.hpp>

auto slope() {
    auto const f = [](auto const& x) { return sum(x); };
    tx::tensor<double, tx::shape<3>> const x{1, 2, 3};
#ifdef FIXED
    return tx::jvp(f)(x, x);
#else
    return tx::jvp(f)(x);
#endif
}
