// How a value is written into a graph: floating dtypes as the bits of a double (exact for all of them), integers as 64-bit
// two's complement, bool as 0 or 1, complex ones as two doubles.
#pragma once

#include <tracexpr/base/element.hpp>
#include <tracexpr/graph/graph.hpp>

#include <bit>
#include <complex>
#include <concepts>
#include <limits>

namespace tx {

template <element T> constexpr literal_bits to_literal(T value) {
    if constexpr (is_complex(dtype_of<T>))
        return {std::bit_cast<std::uint64_t>(double{value.real()}), std::bit_cast<std::uint64_t>(double{value.imag()})};
    else if constexpr (is_floating(dtype_of<T>)) return {std::bit_cast<std::uint64_t>(static_cast<double>(value)), 0};
    else return {static_cast<std::uint64_t>(value), 0};
}

template <element T> constexpr T from_literal(std::uint64_t low, std::uint64_t high) {
    if constexpr (is_complex(dtype_of<T>)) {
        using part = typename T::value_type;
        return T(static_cast<part>(std::bit_cast<double>(low)), static_cast<part>(std::bit_cast<double>(high)));
    } else if constexpr (is_floating(dtype_of<T>)) {
        return static_cast<T>(std::bit_cast<double>(low));
    } else {
        return static_cast<T>(low);
    }
}

// Calls f with a value-initialised element of the dtype's C++ type.
template <class F> constexpr decltype(auto) with_element(dtype type, F&& f) {
    switch (type) {
    case dtype::boolean: return f(bool{});
    case dtype::int8: return f(std::int8_t{});
    case dtype::int16: return f(std::int16_t{});
    case dtype::int32: return f(std::int32_t{});
    case dtype::int64: return f(std::int64_t{});
    case dtype::uint8: return f(std::uint8_t{});
    case dtype::uint16: return f(std::uint16_t{});
    case dtype::uint32: return f(std::uint32_t{});
    case dtype::uint64: return f(std::uint64_t{});
    case dtype::float16: return f(half{});
    case dtype::bfloat16: return f(bfloat16{});
    case dtype::float32: return f(float{});
    case dtype::float64: return f(double{});
    case dtype::complex64: return f(std::complex<float>{});
    case dtype::complex128: return f(std::complex<double>{});
    }
    return f(double{});
}

// A floating value cut to an integer; the nearest end of the range where it is outside, 0 for NaN.
template <std::integral T> constexpr T saturated(double value) {
    using limits = std::numeric_limits<T>;
    constexpr double end = 2 * static_cast<double>(limits::max() / 2 + 1);
    if (value != value) return 0;
    return value >= end ? limits::max() : value <= static_cast<double>(limits::min()) ? limits::min() : static_cast<T>(value);
}

// The bits of `value` (a literal of dtype `from`) after a cast to `to`.
constexpr literal_bits cast_literal(literal_bits value, dtype from, dtype to) {
    if (from == to) return value;
    double const real = std::bit_cast<double>(value.low), imag = is_complex(from) ? std::bit_cast<double>(value.high) : 0.0;
    return with_element(to, [&](auto target) -> literal_bits {
        using T = decltype(target);
        auto const convert = [](auto source, double imaginary) {
            if constexpr (is_complex(dtype_of<T>)) {
                using part = typename T::value_type;
                return to_literal(T(static_cast<part>(source), static_cast<part>(imaginary)));
            } else if constexpr (std::is_same_v<T, bool>) {
                return to_literal(source != decltype(source){} || imaginary != 0.0);
            } else if constexpr (is_integer(dtype_of<T>) && std::is_same_v<decltype(source), double>) {
                return to_literal(saturated<T>(source));
            } else {
                return to_literal(static_cast<T>(source));
            }
        };
        if (is_inexact(from)) return convert(real, imag);
        if (is_unsigned_integer(from)) return convert(value.low, 0.0);
        return convert(static_cast<std::int64_t>(value.low), 0.0);
    });
}

} // namespace tx
