// A function that is traced at run time, on a GPU.
#include <tracexpr/thrust.hpp>
#include <tracexpr/tracexpr.hpp>

tx::tensor<float> scaled(tx::tensor<float> const& x, float by) {
    return tx::on(tx::thrust_device{}, [by](auto const& a) { return tx::tanh(a) * by; })(x);
}
