// expect: tx: cond: both branches must return a tensor, or tuples, arrays or structs of one form, or nothing
#include <tracexpr/tracexpr.hpp>

auto call() {
    tx::tensor<float, tx::shape<2>> const x{1, 2};
    return tx::function{[](auto a) {
#ifdef FIXED
        return tx::cond(tx::sum(a) > 0, [&] { return std::pair(a, a); }, [&] { return std::pair(a, -a); });
#else
        return tx::cond(tx::sum(a) > 0, [&] { return std::pair(a, a); }, [&] { return a; });
#endif
    }}(x);
}
