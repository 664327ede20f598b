// expect: tx: cond: takes two branches
#include <tracexpr/tracexpr.hpp>

auto call() {
    tx::tensor<float, tx::shape<2>> const x{1, 2};
#ifdef FIXED
    return tx::cond(tx::sum(x) > 0, [&] { return x; }, [&] { return -x; });
#else
    return tx::cond(tx::sum(x) > 0, [&] { return x; });
#endif
}
