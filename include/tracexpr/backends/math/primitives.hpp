// This file holds the operations on batches that the math kernels need besides xsimd's: fused multiply-add, rounding, exponents.
// avx512.hpp overloads those that AVX-512 has an instruction for, so code that calls them must come after this file.
#pragma once

#include <tracexpr/backends/vectors/xsimd_compat.hpp>

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace tx::inline TRACEXPR_TARGET::simd::math {

template <class T> using bits_of = std::conditional_t<sizeof(T) == sizeof(float), std::uint32_t, std::uint64_t>;
template <class T> inline constexpr int mantissa_bits = std::numeric_limits<T>::digits - 1;
template <class T> inline constexpr int exponent_bias = std::numeric_limits<T>::max_exponent - 1;
template <class T> inline constexpr T infinity = std::numeric_limits<T>::infinity();
template <class T> inline constexpr T quiet_nan = std::numeric_limits<T>::quiet_NaN();

// True if fma() below rounds once. Only then do products split exactly with one instruction.
template <class Arch> inline constexpr bool has_fma =
    std::is_base_of_v<xsimd::avx512f, Arch> || std::is_base_of_v<xsimd::fma3<xsimd::avx2>, Arch> ||
    std::is_base_of_v<xsimd::fma3<xsimd::avx>, Arch> || std::is_base_of_v<xsimd::fma3<xsimd::sse4_2>, Arch> ||
    std::is_base_of_v<xsimd::neon64, Arch>;

namespace prim {

template <class T, class Arch> TRACEXPR_INLINE xsimd::batch<bits_of<T>, Arch> to_bits(xsimd::batch<T, Arch> const& x) {
    return bit_cast_lanes<bits_of<T>>(x);
}
template <class T, class Arch> TRACEXPR_INLINE xsimd::batch<T, Arch> from_bits(xsimd::batch<bits_of<T>, Arch> const& x) {
    return bit_cast_lanes<T>(x);
}

// a * b + c, c - a * b and a * b - c.
template <class T, class Arch> TRACEXPR_INLINE xsimd::batch<T, Arch>
fma(xsimd::batch<T, Arch> const& a, xsimd::batch<T, Arch> const& b, xsimd::batch<T, Arch> const& c) {
    return xsimd::fma(a, b, c);
}
template <class T, class Arch> TRACEXPR_INLINE xsimd::batch<T, Arch>
fnma(xsimd::batch<T, Arch> const& a, xsimd::batch<T, Arch> const& b, xsimd::batch<T, Arch> const& c) {
    if constexpr (std::is_base_of_v<xsimd::neon64, Arch>) return xsimd::fma(-a, b, c); // xsimd::fnma rounds twice there
    else return xsimd::fnma(a, b, c);
}

template <class T, class Arch> TRACEXPR_INLINE xsimd::batch<T, Arch>
fms(xsimd::batch<T, Arch> const& a, xsimd::batch<T, Arch> const& b, xsimd::batch<T, Arch> const& c) {
    return xsimd::fms(a, b, c);
}

// a / b and sqrt(x), rounded once. For floats on NEON xsimd approximates them, and gives NaN for zeros, infinities and subnormal
// numbers.
template <class Arch> inline constexpr bool approximates_floats = std::is_base_of_v<xsimd::neon, Arch>;
template <class T, class Arch>
TRACEXPR_INLINE xsimd::batch<T, Arch> quotient(xsimd::batch<T, Arch> const& a, xsimd::batch<T, Arch> const& b) {
    if constexpr (approximates_floats<Arch> && sizeof(T) == sizeof(float)) return xsimd::batch<T, Arch>(a.data / b.data);
    else return a / b;
}
template <class T, class Arch> TRACEXPR_INLINE xsimd::batch<T, Arch> sqrt(xsimd::batch<T, Arch> const& x) {
#if defined(__aarch64__)
    if constexpr (approximates_floats<Arch> && sizeof(T) == sizeof(float)) return xsimd::batch<T, Arch>(vsqrtq_f32(x.data));
    else return xsimd::sqrt(x);
#else
    return xsimd::sqrt(x);
#endif
}

// Returns x, hidden from the optimizer: g++ fuses a product and the sums that use it if the flags allow fused instructions, even
// for an Arch without them, and exact products then lose the rounding that they rely on.
template <class T, class Arch> TRACEXPR_INLINE xsimd::batch<T, Arch> rounded(xsimd::batch<T, Arch> x) {
#if defined(__FMA__) && defined(__GNUC__)
    if constexpr (std::is_base_of_v<xsimd::sse2, Arch> || std::is_base_of_v<xsimd::avx, Arch> ||
                  std::is_base_of_v<xsimd::avx512f, Arch>)
        asm("" : "+x"(x.data));
#endif
    return x;
}

// Returns the sign bit of x alone, and `magnitude` with the sign bit of x.
template <class T, class Arch> TRACEXPR_INLINE xsimd::batch<T, Arch> sign_of(xsimd::batch<T, Arch> const& x) {
    return x & xsimd::batch<T, Arch>(T(-0.0));
}
template <class T, class Arch>
TRACEXPR_INLINE xsimd::batch<T, Arch> with_sign_of(xsimd::batch<T, Arch> const& magnitude, xsimd::batch<T, Arch> const& x) {
    return magnitude | sign_of(x);
}

// Returns the nearest integer, ties to even, for |x| < 2^(mantissa bits - 1): after adding 1.5 * 2^(mantissa bits) there is no
// room for a fraction.
template <class T, class Arch> TRACEXPR_INLINE xsimd::batch<T, Arch> round_even(xsimd::batch<T, Arch> const& x) {
    xsimd::batch<T, Arch> const shift(T(3 * (bits_of<T>(1) << (mantissa_bits<T> - 1))));
    return (x + shift) - shift;
}

// Returns the integer nearest to a * b, for products below 2^(mantissa bits - 1).
template <class T, class Arch>
TRACEXPR_INLINE xsimd::batch<T, Arch> round_product(xsimd::batch<T, Arch> const& a, xsimd::batch<T, Arch> const& b) {
    xsimd::batch<T, Arch> const shift(T(3 * (bits_of<T>(1) << (mantissa_bits<T> - 1))));
    return prim::fma(a, b, shift) - shift;
}

// integer_bits has the integer n in its lowest bits, and arbitrary bits above them; is_odd marks the lanes where the lowest bit
// is set.
template <class T, class Arch> TRACEXPR_INLINE xsimd::batch<bits_of<T>, Arch> integer_bits(xsimd::batch<T, Arch> const& n) {
    return to_bits(n + xsimd::batch<T, Arch>(T(3 * (bits_of<T>(1) << (mantissa_bits<T> - 1)))));
}
template <class T, class Arch> requires(!std::is_base_of_v<xsimd::avx512f, Arch>)
TRACEXPR_INLINE xsimd::batch_bool<T, Arch> is_odd(xsimd::batch<bits_of<T>, Arch> const& bits) {
    using batch = xsimd::batch<T, Arch>;
    return (from_bits<T, Arch>(bits << (8 * static_cast<int>(sizeof(T)) - 1)) | batch(1)) < batch(0);
}

// 2^n for an integer n with a normal result: the sum has n in its lowest bits, which the shift moves to the exponent.
template <class T, class Arch> TRACEXPR_INLINE xsimd::batch<T, Arch> pow2(xsimd::batch<T, Arch> const& n) {
    xsimd::batch<T, Arch> const shift(T(3 * (bits_of<T>(1) << (mantissa_bits<T> - 1)) + exponent_bias<T>));
    return from_bits<T, Arch>(to_bits(n + shift) << mantissa_bits<T>);
}

// p * 2^n for an integer n of at most twice the exponent range, rounded once even if the result is subnormal or infinite: 2^n is
// the product of two normal powers, 2^floor(n/2) and 2^ceil(n/2).
template <class T, class Arch>
TRACEXPR_INLINE xsimd::batch<T, Arch> scale(xsimd::batch<T, Arch> const& p, xsimd::batch<T, Arch> const& n) {
    xsimd::batch<T, Arch> const shift(T(3 * (bits_of<T>(1) << (mantissa_bits<T> - 1)) + 2 * exponent_bias<T>));
    auto const biased = to_bits(n + shift); // n + 2 bias, and high bits that both shifts below push out
    auto const half = biased >> 1;
    return p * from_bits<T, Arch>(half << mantissa_bits<T>) * from_bits<T, Arch>((biased - half) << mantissa_bits<T>);
}

// p * 2^n where 2^n and the result are normal.
template <class T, class Arch>
TRACEXPR_INLINE xsimd::batch<T, Arch> scale_normal(xsimd::batch<T, Arch> const& p, xsimd::batch<T, Arch> const& n) {
    return p * pow2(n);
}

// x = m * 2^k with m in [0.75, 1.5), for positive normal x.
template <class T, class Arch> struct binary_parts {
    xsimd::batch<T, Arch> m, k;
};
template <class T, class Arch> TRACEXPR_INLINE binary_parts<T, Arch> split_exponent(xsimd::batch<T, Arch> const& x) {
    using batch = xsimd::batch<T, Arch>;
    using words = xsimd::batch<bits_of<T>, Arch>;
    bits_of<T> const one = std::bit_cast<bits_of<T>>(T(1));
    bits_of<T> const magnitude = bits_of<T>(1) << mantissa_bits<T>; // as a number: 2^mantissa_bits, whose last place is 1
    words const bits = to_bits(x);
    words const shifted = bits + words(one - std::bit_cast<bits_of<T>>(T(0.75)));
    words const exponent = shifted >> mantissa_bits<T>;
    batch const shift(static_cast<T>(magnitude) + static_cast<T>(exponent_bias<T>));
    words const anchor(std::bit_cast<bits_of<T>>(static_cast<T>(magnitude)));
    return {from_bits<T, Arch>(bits - (exponent << mantissa_bits<T>)+words(one)), from_bits<T, Arch>(exponent | anchor) - shift};
}

// True if the overload of split_exponent for Arch takes any x: zero, subnormal, infinite or negative (for a negative x m is NaN,
// for zero k is -inf).
template <class Arch> inline constexpr bool splits_any_exponent = false;

} // namespace prim
} // namespace tx::inline TRACEXPR_TARGET::simd::math

#include <tracexpr/backends/math/avx512.hpp>
