// This file tests casts: values out of range, NaN, and every value of the 16-bit floats.
#include <run/dtypes_every_value.hpp>

using namespace tx::testing;

TEST_CASE_TEMPLATE("dtypes: floats as integers and smaller floats", T, float, double) {
    check_casts<T, bool, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t, std::int64_t,
                std::uint64_t, tx::half, tx::bfloat16, std::complex<float>>(floating_extremes<T>());
}
TEST_CASE_TEMPLATE("dtypes: integers as all others", T, std::int8_t, std::uint16_t, std::int32_t, std::uint32_t, std::int64_t,
                   std::uint64_t) {
    check_casts<T, bool, std::int8_t, std::uint8_t, std::int16_t, std::uint32_t, std::int64_t, tx::half, tx::bfloat16, float,
                double, std::complex<double>>(integer_extremes<T>());
}
