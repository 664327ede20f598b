#include <tracexpr/graph/literal.hpp>

#include <doctest/doctest.h>

#include <complex>
#include <cstdint>
#include <limits>

using tx::cast_literal;
using tx::dtype;
using tx::from_literal;
using tx::to_literal;

namespace {

template <class T> constexpr bool survives(T value) {
    tx::literal_bits const bits = to_literal(value);
    return from_literal<T>(bits.low, bits.high) == value;
}
template <class To, class From> constexpr To converted(From value) {
    tx::literal_bits const bits = cast_literal(to_literal(value), tx::dtype_of<From>, tx::dtype_of<To>);
    return from_literal<To>(bits.low, bits.high);
}

} // namespace

TEST_CASE("literal: every dtype survives") {
    static_assert(survives(true) && survives(false));
    static_assert(survives(std::numeric_limits<std::int64_t>::min()) && survives(std::numeric_limits<std::uint64_t>::max()));
    static_assert(survives(std::int8_t{-128}) && survives(std::uint8_t{255}) && survives(std::int16_t{-2}) && survives(std::uint32_t{7}));
    static_assert(survives(0.1f) && survives(0.1) && survives(std::numeric_limits<float>::infinity()));
    static_assert(survives(std::numeric_limits<double>::denorm_min()) && survives(std::numeric_limits<float>::denorm_min()));
    static_assert(survives(tx::half(0.1f)) && survives(tx::bfloat16(0.1f)));
    static_assert(survives(std::complex<float>(1, -2)) && survives(std::complex<double>(0.1, 0.2)));
    CHECK(survives(0.1f));
    static_assert(to_literal(-0.0).low != to_literal(0.0).low);
}

TEST_CASE("literal: casts") {
    static_assert(converted<float>(std::int64_t{3}) == 3 && converted<double>(0.1f) == double{0.1f});
    static_assert(converted<std::int8_t>(std::int32_t{300}) == 44 && converted<std::uint8_t>(std::int32_t{-1}) == 255);
    static_assert(converted<std::uint64_t>(std::uint64_t{1} << 63) == std::uint64_t{1} << 63);
    static_assert(converted<double>(std::numeric_limits<std::uint64_t>::max()) == 0x1p64);
    static_assert(converted<bool>(0.5) && converted<bool>(std::complex<float>(0, 1)) && !converted<bool>(-0.0));
    static_assert(converted<std::complex<float>>(2) == std::complex<float>(2, 0));
    static_assert(converted<float>(std::complex<double>(1.5, 2)) == 1.5f);
    static_assert(converted<int>(true) == 1);
    static_assert(converted<int>(-2.9) == -2 && converted<int>(std::complex<double>(2.9, 1)) == 2);
    CHECK(converted<int>(2.9f) == 2);
}

TEST_CASE("literal: floating values outside an integer's range go to its end, NaN to 0") {
    constexpr double inf = std::numeric_limits<double>::infinity(), nan_value = std::numeric_limits<double>::quiet_NaN();
    static_assert(converted<int>(1e20) == std::numeric_limits<int>::max() && converted<int>(-inf) == std::numeric_limits<int>::min());
    static_assert(converted<std::int64_t>(0x1p63) == std::numeric_limits<std::int64_t>::max());
    static_assert(converted<std::int64_t>(-0x1p63) == std::numeric_limits<std::int64_t>::min());
    static_assert(converted<std::uint64_t>(0x1p64) == std::numeric_limits<std::uint64_t>::max());
    static_assert(converted<std::uint64_t>(0x1p63) == std::uint64_t{1} << 63);
    static_assert(converted<std::uint8_t>(-0.5) == 0 && converted<std::uint8_t>(255.5) == 255 && converted<std::uint8_t>(256.0) == 255);
    static_assert(converted<std::int8_t>(127.9) == 127 && converted<std::int8_t>(-128.9) == -128);
    static_assert(converted<int>(nan_value) == 0);
    CHECK(converted<int>(inf) == std::numeric_limits<int>::max());
}
