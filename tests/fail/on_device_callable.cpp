// expect: tx: opaque: the callable must take a tensor for each operand
#include <tracexpr/tracexpr.hpp>

void call() {
    using two = tx::spec<float, tx::shape<2>>;
    tx::tensor<float, tx::shape<2>> const x{1, 2};
    auto const same = [](tx::tensor<float, tx::shape<2>> const& v) { return v; };
#ifdef FIXED
    static_cast<void>(tx::opaque<two>(tx::on_device(same), x));
#else
    static_cast<void>(tx::opaque<two>(tx::on_device(same), x, x));
#endif
}
