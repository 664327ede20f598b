// expect: tx: host_callback: its spans are of this process's memory; give a callable that takes tensors on the device to tx::opaque
#include <tracexpr/tracexpr.hpp>

#include <span>

void call() {
    using one = tx::spec<float, tx::shape<>>;
    tx::tensor<float, tx::shape<2>> const x{1, 2};
    auto const first = [](auto const& v) { return v[0]; };
#ifdef FIXED
    static_cast<void>(tx::host_callback<one>(first, x));
#else
    static_cast<void>(tx::host_callback<one>(tx::on_device(first), x));
#endif
}
