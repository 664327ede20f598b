// This file holds vectors of half and bfloat16 as their bits, which ops convert to float, and whose results are rounded once, as
// base/half.hpp does for single numbers. (Instructions that convert a NaN set its quiet bit.)
#pragma once

#include <tracexpr/backends/vectors/conversions.hpp>
#include <tracexpr/base/half.hpp>

#include <limits>

namespace tx::inline TRACEXPR_TARGET::simd {

namespace detail {
using tx::detail::is_small_float;

template <int W> using half_bits = lanes<std::uint16_t, W>;

#if defined(__AVX512F__)
inline constexpr int converted_halves = 16;
#elif defined(__F16C__)
inline constexpr int converted_halves = 8;
#else
inline constexpr int converted_halves = 0;
#endif

template <class T, int W> TRACEXPR_INLINE lanes<float, W> decoded(half_bits<W> const& v) {
    using words = lanes<std::uint32_t, W>;
    [[maybe_unused]] auto const widened = [&]() TRACEXPR_INLINE_LAMBDA { return convert_lanes<std::uint32_t, W>(v); };
    if constexpr (std::is_same_v<T, bfloat16>) {
        return (lanes<float, W>)(widened() << 16);
#if defined(__AVX512F__)
    } else if constexpr (W == 16) {
        return __builtin_bit_cast(lanes<float, W>, _mm512_maskz_cvtph_ps(__mmask16(-1), __builtin_bit_cast(__m256i, v)));
#endif
#if defined(__F16C__)
    } else if constexpr (W == 8) {
        return __builtin_bit_cast(lanes<float, W>, _mm256_cvtph_ps(__builtin_bit_cast(__m128i, v)));
#endif
    } else { // The exponent is shifted by a multiplication, which also normalizes subnormal numbers.
        words const bits = widened(), magnitude = (bits & 0x7fffu) << 13;
        words const moved = (words)((lanes<float, W>)magnitude * 0x1p112f);
        words const special = magnitude | 0x7f800000u;
        return (lanes<float, W>)((magnitude >= 0x0f800000u ? special : moved) | (bits & 0x8000u) << 16);
    }
}

template <class T, int W> TRACEXPR_INLINE half_bits<W> encoded(lanes<float, W> const& x) {
    using words = lanes<std::uint32_t, W>;
    [[maybe_unused]] words const bits = (words)x, magnitude = bits & 0x7fffffffu;
    if constexpr (std::is_same_v<T, bfloat16>) {
        words const rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16, nan = (bits >> 16) | 0x40u;
        return convert_lanes<std::uint16_t, W>(x == x ? rounded : nan);
#if defined(__AVX512F__)
    } else if constexpr (W == 16) {
        return __builtin_bit_cast(half_bits<W>, _mm512_maskz_cvtps_ph(__mmask16(-1), __builtin_bit_cast(__m512, x), 0));
#endif
#if defined(__F16C__)
    } else if constexpr (W == 8) {
        return __builtin_bit_cast(half_bits<W>, _mm256_cvtps_ph(__builtin_bit_cast(__m256, x), 0));
#endif
    } else { // A number that is subnormal in half is rounded by a sum which has no room for more bits.
        words const subnormal = (words)((lanes<float, W>)magnitude + 0.5f) - 0x3f000000u;
        words const normal = (magnitude - 0x38000000u + 0xfffu + ((magnitude >> 13) & 1u)) >> 13;
        words const nan = (words{} + 0x7e00u) | ((magnitude >> 13) & 0x3ffu), infinite = words{} + 0x7c00u;
        words const finite = magnitude < 0x38800000u ? subnormal : normal;
        words const number = magnitude >= 0x477ff000u ? infinite : finite;
        return convert_lanes<std::uint16_t, W>((magnitude > 0x7f800000u ? nan : number) | ((bits >> 16) & 0x8000u));
    }
}

// Encodes any numbers with one rounding: they are first rounded to odd (see rounded_to_odd in base/half.hpp), with a bit that
// says whether lower bits were lost.
template <class T, int W> TRACEXPR_NOINLINE void encode_by_elements(half_bits<W>& out, lanes<double, W> const& x) {
    for (int i = 0; i < W; ++i) out[i] = T(x[i]).bits;
}
template <class T, int W, class V> TRACEXPR_INLINE half_bits<W> encoded_number(V const& x) {
    using From = typename element_of_lanes<V>::type;
    if constexpr (std::is_same_v<From, double>) {
        if constexpr (std::is_same_v<T, bfloat16>) { // as floats these have fewer bits
            V const size = x < V{} ? -x : x, none = std::numeric_limits<double>::quiet_NaN() - V{};
            V const suspect = ((size < 0x1p-126) & (size > V{})) ? none : V{};
            if (any_nan<double, W>(suspect, suspect)) [[unlikely]] {
                V const from = x;
                half_bits<W> out;
                encode_by_elements<T, W>(out, from);
                return out;
            }
        }
        using words = lanes<std::uint64_t, W>;
        constexpr std::uint64_t lower = (std::uint64_t{1} << 29) - 1;
        words const bits = (words)x, odd = ((bits & lower) + lower) & (lower + 1);
        return encoded<T, W>(convert_lanes<float, W>((V)((bits & ~lower) | odd)));
    } else if constexpr (std::is_integral_v<From> && sizeof(From) >= 4) { // these are converted to double or float first
        constexpr int digits = sizeof(From) == 4 ? 23 : 53;
        constexpr From lower = sizeof(From) == 4 ? 0xff : 0x7ff;
        V const high = x >> digits, odd = (x & ~lower) | (lower + 1), zero{};
        auto const is_exact = (high == zero) | (std::is_signed_v<From> ? high == ~zero : high != high) | ((x & lower) == zero);
        V const number = is_exact ? x : odd;
        if constexpr (sizeof(From) == 4) return encoded<T, W>(convert_lanes<float, W>(number));
        else return encoded_number<T, W>(convert_lanes<double, W>(number));
    } else {
        return encoded<T, W>(convert_lanes<float, W>(x));
    }
}
} // namespace detail

} // namespace tx::inline TRACEXPR_TARGET::simd
