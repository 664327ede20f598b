// Compiles a function that is traced at run time, on a GPU.
#include <tracexpr/thrust.hpp>
#include <tracexpr/tracexpr.hpp>

tx::tensor<float> scaled(tx::tensor<float> const& x, float by) {
    return tx::on(tx::thrust_device{}, [by](auto const& a) { return tx::tanh(a) * by; })(x);
}
// And its calls of the user's, with tensors there.
using wide = tx::tensor<float, tx::shape<1024>>;
wide added(wide const& x, wide const& y) {
    auto const add = tx::on(tx::thrust_device{}, [](auto const& a, auto const& b) { return a + b; });
    return tx::on(tx::thrust_device{}, [add, y](auto const& a) { return tx::opaque<tx::spec<float, tx::shape<1024>>>(tx::on_device([add, y](wide const& v) { return add(v, y); }), a); })(x);
}
