// expect: tx: opaque: its results must be declared by specs whose extents are known
#include <tracexpr/tracexpr.hpp>

void call() {
    tx::tensor<float, tx::shape<2>> const x{1, 2};
#ifdef FIXED
    static_cast<void>(tx::opaque<tx::spec<float, tx::shape<2>>>([](auto v) { return v; }, x));
#else
    static_cast<void>(tx::opaque<float>([](auto v) { return v; }, x));
#endif
}
