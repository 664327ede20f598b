// expect: tx: opaque: the callable must give as many results as are declared
#include <tracexpr/tracexpr.hpp>

#include <tuple>

void call() {
    using one = tx::spec<float, tx::shape<2>>;
    tx::tensor<float, tx::shape<2>> const x{1, 2};
#ifdef FIXED
    static_cast<void>(tx::opaque<one, one>([](auto v) { return std::tuple(v, v); }, x));
#else
    static_cast<void>(tx::opaque<one, one>([](auto v) { return std::tuple(v, v, v); }, x));
#endif
}
