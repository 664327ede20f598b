#include "ops.hpp"

void measure_words() {
    dtypes::measure_ops<std::int32_t>();
    dtypes::measure_ops<std::uint32_t>();
    dtypes::measure_ops<std::int64_t>();
    dtypes::measure_ops<std::uint64_t>();
}
void measure_casts_of_words() {
    dtypes::measure_casts<std::int32_t>();
    dtypes::measure_casts<std::uint32_t>();
    dtypes::measure_casts<std::int64_t>();
    dtypes::measure_casts<std::uint64_t>();
}
