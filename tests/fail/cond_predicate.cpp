// expect: tx: cond: the predicate must be a bool scalar: compare something (x > 0), and reduce it with tx::all or tx::any
#include <tracexpr/tracexpr.hpp>

auto call() {
    tx::tensor<float, tx::shape<2>> const x{1, 2};
    return tx::function{[](auto a) {
#ifdef FIXED
        return tx::cond(tx::all(a > 0), [&] { return a; }, [&] { return -a; });
#else
        return tx::cond(a > 0, [&] { return a; }, [&] { return -a; });
#endif
    }}(x);
}
