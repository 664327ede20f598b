#include "ops.hpp"

void measure_floats() {
    dtypes::measure_ops<tx::half>();
    dtypes::measure_ops<tx::bfloat16>();
    dtypes::measure_ops<float>();
    dtypes::measure_ops<double>();
    dtypes::measure_ops<std::complex<float>>();
    dtypes::measure_ops<std::complex<double>>();
}
void measure_casts_of_floats() {
    dtypes::measure_casts<tx::half>();
    dtypes::measure_casts<tx::bfloat16>();
    dtypes::measure_casts<float>();
    dtypes::measure_casts<double>();
    dtypes::measure_casts<std::complex<float>>();
    dtypes::measure_casts<std::complex<double>>();
}
