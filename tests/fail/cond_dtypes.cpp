// expect: tx: cond: both branches must return the same dtypes
#include <tracexpr/tracexpr.hpp>

auto call() {
    tx::tensor<float, tx::shape<2>> const x{1, 2};
    return tx::function{[](auto a) {
#ifdef FIXED
        return tx::cond(tx::sum(a) > 0, [&] { return a; }, [&] { return tx::cast<float>(a > 0); });
#else
        return tx::cond(tx::sum(a) > 0, [&] { return a; }, [&] { return a > 0; });
#endif
    }}(x);
}
