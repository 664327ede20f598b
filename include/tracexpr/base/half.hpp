// This file has IEEE binary16 and bfloat16 as storage types, whose arithmetic is computed in float. Conversions round to nearest
// even.
#pragma once

#include <tracexpr/base/config.hpp>
#include <tracexpr/base/dtype.hpp> // before the types below: g++ 12 takes dtype::bfloat16 for a shadowing of tx::bfloat16

#include <bit>
#include <compare>
#include <concepts>
#include <cstdint>
#include <iosfwd>
#include <limits>
#include <type_traits>

namespace tx {
namespace detail {

TRACEXPR_HD constexpr std::uint16_t float_to_half_bits(float value) {
    std::uint32_t const bits = std::bit_cast<std::uint32_t>(value);
    std::uint32_t const sign = (bits >> 16) & 0x8000u;
    std::uint32_t const magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u) return static_cast<std::uint16_t>(sign | 0x7e00u | ((magnitude >> 13) & 0x3ffu)); // NaN
    if (magnitude >= 0x477ff000u) return static_cast<std::uint16_t>(sign | 0x7c00u); // rounds to infinity
    std::uint32_t mantissa = magnitude;
    unsigned shift = 13;
    if (magnitude < 0x38800000u) { // subnormal in half
        if (magnitude < 0x33000000u) return static_cast<std::uint16_t>(sign);
        shift = 126u - (magnitude >> 23);
        mantissa = (magnitude & 0x7fffffu) | 0x800000u;
    } else {
        mantissa = magnitude - 0x38000000u;
    }
    std::uint32_t const high_bits = mantissa >> shift;
    std::uint32_t const rest = mantissa & ((1u << shift) - 1u);
    std::uint32_t const tie = 1u << (shift - 1u);
    std::uint32_t const up = rest > tie || (rest == tie && (high_bits & 1u)) ? 1u : 0u;
    return static_cast<std::uint16_t>(sign | (high_bits + up));
}

TRACEXPR_HD constexpr float half_bits_to_float(std::uint16_t half_bits) {
    std::uint32_t const sign = (half_bits & 0x8000u) * 0x10000u;
    std::uint32_t const exponent = (half_bits >> 10) & 0x1fu;
    std::uint32_t const mantissa = half_bits & 0x3ffu;
    if (exponent == 0x1fu) return std::bit_cast<float>(sign | 0x7f800000u | (mantissa << 13));
    if (exponent != 0) return std::bit_cast<float>(sign | ((exponent + 112u) << 23) | (mantissa << 13));
    float const magnitude = static_cast<float>(mantissa) * 0x1p-24f;
    return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(magnitude));
}

TRACEXPR_HD constexpr std::uint16_t float_to_bfloat16_bits(float value) {
    std::uint32_t const bits = std::bit_cast<std::uint32_t>(value);
    if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<std::uint16_t>((bits >> 16) | 0x40u); // quiet NaN
    return static_cast<std::uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

TRACEXPR_HD constexpr float bfloat16_bits_to_float(std::uint16_t bits) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

// Rounds to a float toward zero and sets the last bit if that lost something, so that rounding the float to fewer bits gives the
// same as rounding `value`. (This is rounding to odd: Boldo and Melquiond, Emulation of FMA and correctly rounded sums, 2008)
template <class T> TRACEXPR_HD constexpr float rounded_to_odd(T value) {
    if constexpr (std::is_same_v<T, float> || sizeof(T) <= 2) {
        return static_cast<float>(value);
    } else if constexpr (std::integral<T>) {
        // Of integers with more bits than a double has, the last bits are merged into one.
        constexpr T last = 0x7ff;
        T const high = sizeof(T) > 4 ? static_cast<T>(value >> (sizeof(T) * 8 - 11)) : T(0);
        if (high != 0 && high != static_cast<T>(-1) && (value & last))
            value = static_cast<T>((value & static_cast<T>(~last)) | (last + 1));
        return rounded_to_odd(static_cast<double>(value));
    } else {
        float const nearest = static_cast<float>(value);
        auto bits = std::bit_cast<std::uint32_t>(nearest);
        if (static_cast<T>(nearest) == value || (bits & 0x7f800000u) == 0x7f800000u) return nearest; // or it is NaN or infinite
        if ((static_cast<T>(nearest) > value) == (value > 0)) --bits; // it was rounded away from zero
        return std::bit_cast<float>(bits | 1u);
    }
}

// small_float is a 16-bit float with the given encoding. It converts to other types through float; a number that converts to it
// is rounded once.
template <std::uint16_t (*Encode)(float), float (*Decode)(std::uint16_t)> struct small_float {
    std::uint16_t bits = 0;

    small_float() = default;
    template <class T> requires std::integral<T> || std::floating_point<T>
    TRACEXPR_HD constexpr small_float(T value) : bits{Encode(rounded_to_odd(value))} {}
    template <class T> requires std::integral<T> || std::floating_point<T> TRACEXPR_HD explicit constexpr operator T() const {
        return static_cast<T>(Decode(bits));
    }

    static constexpr small_float from_bits(std::uint16_t bits) {
        small_float out;
        out.bits = bits;
        return out;
    }

    TRACEXPR_HD constexpr float value() const { return Decode(bits); }
    TRACEXPR_HD friend constexpr small_float operator-(small_float a) {
        a.bits ^= 0x8000u;
        return a;
    }
    TRACEXPR_HD friend constexpr small_float operator+(small_float a, small_float b) { return a.value() + b.value(); }
    TRACEXPR_HD friend constexpr small_float operator-(small_float a, small_float b) { return a.value() - b.value(); }
    TRACEXPR_HD friend constexpr small_float operator*(small_float a, small_float b) { return a.value() * b.value(); }
    TRACEXPR_HD friend constexpr small_float operator/(small_float a, small_float b) { return a.value() / b.value(); }
    TRACEXPR_HD friend constexpr bool operator==(small_float a, small_float b) { return a.value() == b.value(); }
    TRACEXPR_HD friend constexpr std::partial_ordering operator<=>(small_float a, small_float b) {
        return a.value() <=> b.value();
    }
    template <class Traits>
    friend std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out, small_float a) {
        return out << a.value();
    }
};

} // namespace detail

// `half` is IEEE 754's binary16, with 11 bits of precision. Arithmetic is computed in float.
using half = detail::small_float<detail::float_to_half_bits, detail::half_bits_to_float>;
// `bfloat16` is the upper half of a float, with float's range and 8 bits of precision. Arithmetic is computed in float.
using bfloat16 = detail::small_float<detail::float_to_bfloat16_bits, detail::bfloat16_bits_to_float>;

namespace detail {
template <class T> inline constexpr bool is_small_float = std::is_same_v<T, half> || std::is_same_v<T, bfloat16>;
}

} // namespace tx

template <> class std::numeric_limits<tx::half> {
public:
    static constexpr bool is_specialized = true, is_signed = true, is_integer = false, is_exact = false, is_iec559 = true;
    static constexpr bool has_infinity = true, has_quiet_NaN = true;
    static constexpr int digits = 11, max_exponent = 16, min_exponent = -13;
    static constexpr tx::half lowest() { return tx::half::from_bits(0xfbff); }
    static constexpr tx::half max() { return tx::half::from_bits(0x7bff); }
    static constexpr tx::half min() { return tx::half::from_bits(0x0400); }
    static constexpr tx::half epsilon() { return tx::half::from_bits(0x1400); }
    static constexpr tx::half denorm_min() { return tx::half::from_bits(0x0001); }
    static constexpr tx::half infinity() { return tx::half::from_bits(0x7c00); }
    static constexpr tx::half quiet_NaN() { return tx::half::from_bits(0x7e00); }
};
template <> class std::numeric_limits<tx::bfloat16> {
public:
    static constexpr bool is_specialized = true, is_signed = true, is_integer = false, is_exact = false, is_iec559 = true;
    static constexpr bool has_infinity = true, has_quiet_NaN = true;
    static constexpr int digits = 8, max_exponent = 128, min_exponent = -125;
    static constexpr tx::bfloat16 lowest() { return tx::bfloat16::from_bits(0xff7f); }
    static constexpr tx::bfloat16 max() { return tx::bfloat16::from_bits(0x7f7f); }
    static constexpr tx::bfloat16 min() { return tx::bfloat16::from_bits(0x0080); }
    static constexpr tx::bfloat16 epsilon() { return tx::bfloat16::from_bits(0x3c00); }
    static constexpr tx::bfloat16 denorm_min() { return tx::bfloat16::from_bits(0x0001); }
    static constexpr tx::bfloat16 infinity() { return tx::bfloat16::from_bits(0x7f80); }
    static constexpr tx::bfloat16 quiet_NaN() { return tx::bfloat16::from_bits(0x7fc0); }
};
