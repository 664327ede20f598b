// expect: tx: opaque: the callable must take a tensor for each operand; that of tx::host_callback a span
#include <tracexpr/tracexpr.hpp>

#include <span>

void call() {
    using one = tx::spec<float, tx::shape<>>;
    tx::tensor<float, tx::shape<2>> const x{1, 2};
#ifdef FIXED
    static_cast<void>(tx::host_callback<one>([](std::span<float const> v) { return v[0]; }, x));
#else
    static_cast<void>(tx::host_callback<one>([](tx::tensor<float, tx::shape<2>> const& v) { return v(0); }, x));
#endif
}
