#include "ops.hpp"

void measure_integers() {
    dtypes::measure_ops<bool>();
    dtypes::measure_ops<std::int8_t>();
    dtypes::measure_ops<std::uint8_t>();
    dtypes::measure_ops<std::int16_t>();
    dtypes::measure_ops<std::uint16_t>();
}
void measure_casts_of_integers() {
    dtypes::measure_casts<bool>();
    dtypes::measure_casts<std::int8_t>();
    dtypes::measure_casts<std::uint8_t>();
    dtypes::measure_casts<std::int16_t>();
    dtypes::measure_casts<std::uint16_t>();
}
