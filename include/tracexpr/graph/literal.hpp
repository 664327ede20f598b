// This file writes values into a graph as 64-bit words: floating dtypes as the bits of a double (exact for all of them), integers
// as two's complement, bool as 0 or 1, complex numbers as two doubles, strings as handles. A literal of a dual dtype has no
// tangent.
#pragma once

#include <tracexpr/base/element.hpp>
#include <tracexpr/graph/graph.hpp>

#include <bit>
#include <complex>

namespace tx {

constexpr literal_bits real_literal(double value) { return {std::bit_cast<std::uint64_t>(value), 0}; }

template <element T> constexpr literal_bits to_literal(T const& value) {
    if constexpr (is_complex(dtype_of<T>))
        return {std::bit_cast<std::uint64_t>(double{value.real()}), std::bit_cast<std::uint64_t>(double{value.imag()})};
    else if constexpr (is_floating(dtype_of<T>)) return real_literal(static_cast<double>(value)); // a dual number gives its value
    else if constexpr (dtype_of<T> == dtype::string) return {detail::interned(value).pinned().bits(), 0};
    else return {static_cast<std::uint64_t>(value), 0};
}

template <element T> constexpr T from_literal(std::uint64_t low, std::uint64_t high) {
    if constexpr (is_complex(dtype_of<T>)) {
        using part = typename T::value_type;
        return T(static_cast<part>(std::bit_cast<double>(low)), static_cast<part>(std::bit_cast<double>(high)));
    } else if constexpr (dtype_of<T> == dtype::string) {
        return detail::interned::from_bits(low);
    } else if constexpr (is_floating(dtype_of<T>)) {
        return T(static_cast<ctype<primal(dtype_of<T>)>>(std::bit_cast<double>(low)));
    } else {
        return static_cast<T>(low);
    }
}

// Returns the number of words of an element of a constant. A dual number has the words of its tangents after those of its value.
constexpr std::size_t words_of(dtype type) { return is_complex(type) ? 2 : std::size_t{1} << dual_depth(type); }
template <element T> constexpr void to_words(T const& value, std::uint64_t* words) {
    if constexpr (is_dual(dtype_of<T>)) {
        to_words(value.value, words);
        to_words(value.tangent, words + words_of(dtype_of<T>) / 2);
    } else {
        literal_bits const bits = to_literal(value);
        words[0] = bits.low;
        if constexpr (is_complex(dtype_of<T>)) words[1] = bits.high;
    }
}
template <element T> constexpr T from_words(std::uint64_t const* words) {
    if constexpr (is_dual(dtype_of<T>)) {
        using part = typename T::value_type;
        return T(from_words<part>(words), from_words<part>(words + words_of(dtype_of<T>) / 2));
    } else return from_literal<T>(words[0], is_complex(dtype_of<T>) ? words[1] : 0);
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
    case dtype::string: return f(detail::interned{});
    case dtype::token: break;
    case dtype::dual_float32: return f(dual<float>{});
    case dtype::dual_float64: return f(dual<double>{});
    case dtype::dual_dual_float32: return f(dual<dual<float>>{});
    case dtype::dual_dual_float64: return f(dual<dual<double>>{});
    }
    return f(double{});
}

// Rounds a value to the nearest one of a floating dtype; to half and bfloat16 it is rounded to float first. (A conversion that
// overflows would not be a constant expression.)
TRACEXPR_ONCE constexpr literal_bits rounded_literal(dtype type, double value) {
    type = primal(type);
    literal_bits const exact = real_literal(value);
    if (type == dtype::float64 || (exact.low >> 52 & 0x7ffu) == 0x7ffu) return exact;
    constexpr double rounds_to_infinity = 0x1.ffffffp127;
    if (value >= rounds_to_infinity) return {0x7ff0000000000000u, 0};
    if (value <= -rounds_to_infinity) return {0xfff0000000000000u, 0};
    float const nearest = static_cast<float>(value);
    if (type == dtype::float16) return real_literal(double{detail::half_bits_to_float(detail::float_to_half_bits(nearest))});
    if (type == dtype::bfloat16)
        return real_literal(double{detail::bfloat16_bits_to_float(detail::float_to_bfloat16_bits(nearest))});
    return real_literal(double{nearest});
}

// Wraps the low bits of an integer result (a sum, a product, ...) modulo 2^64 to an integer dtype or bool.
TRACEXPR_ONCE constexpr literal_bits wrapped_literal(dtype type, std::uint64_t bits) {
    if (type == dtype::boolean) return {bits & 1u, 0};
    unsigned const unused = 64u - 8u * static_cast<unsigned>(size_in_bytes(type));
    if (is_signed_integer(type)) return {static_cast<std::uint64_t>(static_cast<std::int64_t>(bits << unused) >> unused), 0};
    return {bits << unused >> unused, 0};
}

// Truncates a floating value to an integer; a value outside of the range gives the nearest end of it, and NaN gives 0.
TRACEXPR_ONCE constexpr literal_bits saturated_literal(dtype type, double value) {
    bool const has_sign = is_signed_integer(type);
    unsigned const digits = 8u * static_cast<unsigned>(size_in_bytes(type)) - (has_sign ? 1u : 0u);
    std::uint64_t const largest = ~std::uint64_t{0} >> (64u - digits);
    double const end = 2 * static_cast<double>(largest / 2 + 1);
    if (value != value) return {};
    if (value >= end) return {largest, 0};
    if (value <= (has_sign ? -end : 0)) return {has_sign ? ~largest : 0, 0};
    return {has_sign ? static_cast<std::uint64_t>(static_cast<std::int64_t>(value)) : static_cast<std::uint64_t>(value), 0};
}

// Returns the bits of `value` (a literal of dtype `from`) after a cast to `to`.
TRACEXPR_ONCE constexpr literal_bits cast_literal(literal_bits value, dtype from, dtype to) {
    if (from == to) return value;
    double const real = std::bit_cast<double>(value.low), imag = is_complex(from) ? std::bit_cast<double>(value.high) : 0.0;
    if (to == dtype::boolean) return {(is_inexact(from) ? real != 0 || imag != 0 : value.low != 0) ? 1u : 0u, 0};
    if (is_complex(to))
        return {cast_literal({value.low, 0}, real_part(from), real_part(to)).low, rounded_literal(real_part(to), imag).low};
    if (is_inexact(from)) return is_floating(to) ? rounded_literal(to, real) : saturated_literal(to, real);
    if (!is_floating(to)) return wrapped_literal(to, value.low);
    bool const below_zero = is_signed_integer(from) && static_cast<std::int64_t>(value.low) < 0;
    std::uint64_t const magnitude = below_zero ? 0 - value.low : value.low;
    double const whole = primal(to) == dtype::float64 ? static_cast<double>(magnitude) : double{static_cast<float>(magnitude)};
    return rounded_literal(to, below_zero ? -whole : whole);
}

// Casts the words of an element. Tangents that the new dtype has no room for are dropped, as imaginary parts are.
TRACEXPR_ONCE constexpr void cast_words(std::uint64_t const* words, dtype from, std::uint64_t* out, dtype to) {
    literal_bits const value = cast_literal({words[0], is_complex(from) ? words[1] : 0}, from, to);
    out[0] = value.low;
    if (is_complex(to)) out[1] = value.high;
    if (is_dual(to))
        for (std::size_t k = 1; k < words_of(to); ++k)
            out[k] = k < words_of(from) ? rounded_literal(to, std::bit_cast<double>(words[k])).low : 0;
}

} // namespace tx
