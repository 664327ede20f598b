// This file converts lanes of one arithmetic type to lanes of another. g++ 12 converts element by element if their size changes
// by more than a factor of two, and by halves what one instruction does at once.
#pragma once

#include <tracexpr/backends/vectors/lanes.hpp>

#include <cstdint>
#include <type_traits>

namespace tx::inline TRACEXPR_TARGET::simd {

namespace detail {
template <int Bytes> using signed_of_size =
    std::conditional_t<Bytes == 1, std::int8_t,
                       std::conditional_t<Bytes == 2, std::int16_t, std::conditional_t<Bytes == 4, std::int32_t, std::int64_t>>>;
// integer_of_size is an integer of that many bytes, signed as T is.
template <class T, int Bytes> using integer_of_size =
    std::conditional_t<std::is_signed_v<T>, signed_of_size<Bytes>, std::make_unsigned_t<signed_of_size<Bytes>>>;

// The instructions that g++ 12 doesn't use by itself, on 64 or 32 bytes. Those on 64 bytes have a mask, because g++ 12 warns of
// the others (xsimd_compat.hpp).
#if defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
inline constexpr int converted_bytes = 64;
#elif defined(__AVX2__)
inline constexpr int converted_bytes = 32;
#else
inline constexpr int converted_bytes = 0;
#endif
template <class To, class From, int W> constexpr bool has_conversion() {
    constexpr int from = sizeof(From), to = sizeof(To), bytes = W * (from > to ? from : to);
    if (bytes > converted_bytes || bytes < 32) return false;
    if (std::is_integral_v<From> && std::is_integral_v<To>) return from < to || (from > to && converted_bytes == 64);
    if (std::is_same_v<To, double>) return from == 4 && (bytes == 64 || !std::is_unsigned_v<From>);
    return std::is_same_v<From, float> && std::is_integral_v<To> && to == 8 && bytes == 64;
}

#if defined(__AVX2__)
template <class V> TRACEXPR_INLINE auto as_register(V const& v) {
    if constexpr (sizeof v == 32) return __builtin_bit_cast(__m256i, v);
    else if constexpr (sizeof v == 16) return __builtin_bit_cast(__m128i, v);
    else if constexpr (sizeof v == 8) return _mm_cvtsi64_si128(__builtin_bit_cast(long long, v));
    else return _mm_cvtsi32_si128(__builtin_bit_cast(int, v));
}
template <class V, class X> TRACEXPR_INLINE void keep_front(V& out, X const& x) { std::memcpy(&out, &x, sizeof out); }
// Converts integers to wider ones, of 32 bytes in all.
template <class To, class From, class X> TRACEXPR_INLINE auto widened_half(X const& x) {
    constexpr int from = sizeof(From), to = sizeof(To);
    if constexpr (std::is_signed_v<From>) {
        if constexpr (from == 1 && to == 2) return _mm256_cvtepi8_epi16(x);
        else if constexpr (from == 1 && to == 4) return _mm256_cvtepi8_epi32(x);
        else if constexpr (from == 1) return _mm256_cvtepi8_epi64(x);
        else if constexpr (from == 2 && to == 4) return _mm256_cvtepi16_epi32(x);
        else if constexpr (from == 2) return _mm256_cvtepi16_epi64(x);
        else return _mm256_cvtepi32_epi64(x);
    } else {
        if constexpr (from == 1 && to == 2) return _mm256_cvtepu8_epi16(x);
        else if constexpr (from == 1 && to == 4) return _mm256_cvtepu8_epi32(x);
        else if constexpr (from == 1) return _mm256_cvtepu8_epi64(x);
        else if constexpr (from == 2 && to == 4) return _mm256_cvtepu16_epi32(x);
        else if constexpr (from == 2) return _mm256_cvtepu16_epi64(x);
        else return _mm256_cvtepu32_epi64(x);
    }
}
#endif
#if defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
// Converts integers to wider ones, of 64 bytes in all.
template <class To, class From, class X> TRACEXPR_INLINE auto widened(X const& x) {
    constexpr int from = sizeof(From), to = sizeof(To);
    if constexpr (std::is_signed_v<From>) {
        if constexpr (from == 1 && to == 2) return _mm512_maskz_cvtepi8_epi16(__mmask32(-1), x);
        else if constexpr (from == 1 && to == 4) return _mm512_maskz_cvtepi8_epi32(__mmask16(-1), x);
        else if constexpr (from == 1) return _mm512_maskz_cvtepi8_epi64(__mmask8(-1), x);
        else if constexpr (from == 2 && to == 4) return _mm512_maskz_cvtepi16_epi32(__mmask16(-1), x);
        else if constexpr (from == 2) return _mm512_maskz_cvtepi16_epi64(__mmask8(-1), x);
        else return _mm512_maskz_cvtepi32_epi64(__mmask8(-1), x);
    } else {
        if constexpr (from == 1 && to == 2) return _mm512_maskz_cvtepu8_epi16(__mmask32(-1), x);
        else if constexpr (from == 1 && to == 4) return _mm512_maskz_cvtepu8_epi32(__mmask16(-1), x);
        else if constexpr (from == 1) return _mm512_maskz_cvtepu8_epi64(__mmask8(-1), x);
        else if constexpr (from == 2 && to == 4) return _mm512_maskz_cvtepu16_epi32(__mmask16(-1), x);
        else if constexpr (from == 2) return _mm512_maskz_cvtepu16_epi64(__mmask8(-1), x);
        else return _mm512_maskz_cvtepu32_epi64(__mmask8(-1), x);
    }
}
template <class To, class From> TRACEXPR_INLINE auto narrowed(__m512i const& x) {
    constexpr int from = sizeof(From), to = sizeof(To);
    if constexpr (from == 2) return _mm512_maskz_cvtepi16_epi8(__mmask32(-1), x);
    else if constexpr (from == 4 && to == 1) return _mm512_maskz_cvtepi32_epi8(__mmask16(-1), x);
    else if constexpr (from == 4) return _mm512_maskz_cvtepi32_epi16(__mmask16(-1), x);
    else if constexpr (to == 1) return _mm512_maskz_cvtepi64_epi8(__mmask8(-1), x);
    else if constexpr (to == 2) return _mm512_maskz_cvtepi64_epi16(__mmask8(-1), x);
    else return _mm512_maskz_cvtepi64_epi32(__mmask8(-1), x);
}
template <class To, class From> TRACEXPR_INLINE auto narrowed_half(__m256i const& x) {
    constexpr int from = sizeof(From), to = sizeof(To);
    if constexpr (from == 2) return _mm256_maskz_cvtepi16_epi8(__mmask16(-1), x);
    else if constexpr (from == 4 && to == 1) return _mm256_maskz_cvtepi32_epi8(__mmask8(-1), x);
    else if constexpr (from == 4) return _mm256_maskz_cvtepi32_epi16(__mmask8(-1), x);
    else if constexpr (to == 1) return _mm256_maskz_cvtepi64_epi8(__mmask8(-1), x);
    else if constexpr (to == 2) return _mm256_maskz_cvtepi64_epi16(__mmask8(-1), x);
    else return _mm256_maskz_cvtepi64_epi32(__mmask8(-1), x);
}
template <class To, class From, class Out, class V> TRACEXPR_INLINE void convert_register(Out& out, V const& v) {
    if constexpr (std::is_integral_v<From> && std::is_integral_v<To>) {
        if constexpr (sizeof(From) > sizeof(To) && sizeof v == 32) keep_front(out, narrowed_half<To, From>(as_register(v)));
        else if constexpr (sizeof(From) > sizeof(To)) keep_front(out, narrowed<To, From>(__builtin_bit_cast(__m512i, v)));
        else if constexpr (sizeof(out) == 64) keep_front(out, widened<To, From>(as_register(v)));
        else keep_front(out, widened_half<To, From>(as_register(v)));
    } else if constexpr (std::is_same_v<From, float>) {
        if constexpr (sizeof(out) == 32) keep_front(out, _mm256_cvtps_pd(__builtin_bit_cast(__m128, v)));
        else if constexpr (std::is_floating_point_v<To>)
            keep_front(out, _mm512_maskz_cvtps_pd(__mmask8(-1), __builtin_bit_cast(__m256, v)));
        else if constexpr (std::is_signed_v<To>)
            keep_front(out, _mm512_maskz_cvttps_epi64(__mmask8(-1), __builtin_bit_cast(__m256, v)));
        else keep_front(out, _mm512_maskz_cvttps_epu64(__mmask8(-1), __builtin_bit_cast(__m256, v)));
    } else {
        if constexpr (sizeof(out) == 32) keep_front(out, _mm256_cvtepi32_pd(as_register(v)));
        else if constexpr (std::is_signed_v<From>) keep_front(out, _mm512_maskz_cvtepi32_pd(__mmask8(-1), as_register(v)));
        else keep_front(out, _mm512_maskz_cvtepu32_pd(__mmask8(-1), as_register(v)));
    }
}
#elif defined(__AVX2__)
template <class To, class From, class Out, class V> TRACEXPR_INLINE void convert_register(Out& out, V const& v) {
    if constexpr (std::is_integral_v<To>) keep_front(out, widened_half<To, From>(as_register(v)));
    else if constexpr (std::is_integral_v<From>) keep_front(out, _mm256_cvtepi32_pd(as_register(v)));
    else keep_front(out, _mm256_cvtps_pd(__builtin_bit_cast(__m128, v)));
}
#else
template <class To, class From, class Out, class V> TRACEXPR_INLINE void convert_register(Out&, V const&) {}
#endif

template <class V> struct element_of_lanes {
    using type = V;
};
template <class V> requires(!std::is_arithmetic_v<V>) struct element_of_lanes<V> {
    using type = std::remove_cvref_t<decltype(V{}[0])>;
};

// Converts each lane as static_cast does; where that is undefined the result is an arbitrary number. The result is a reference
// parameter, because functions return no vectors that are wider than a register.
template <int W, class Out, class V> TRACEXPR_INLINE void convert_into(Out& out, V const& v) {
    using From = typename element_of_lanes<V>::type;
    using To = typename element_of_lanes<Out>::type;
    constexpr int from = sizeof(From), to = sizeof(To);
    constexpr bool from_integer = std::is_integral_v<From>, to_integer = std::is_integral_v<To>;
    constexpr bool grows = from_integer && to_integer && from < to / 2, shrinks = from_integer && to_integer && from / 2 > to;
    if constexpr (W == 1) {
        out = static_cast<To>(v);
    } else if constexpr (std::is_same_v<To, From>) {
        out = v;
    } else if constexpr (has_conversion<To, From, W>()) {
        convert_register<To, From>(out, v);
    } else if constexpr (grows || shrinks) {
        lanes<integer_of_size<From, grows ? from * 2 : from / 2>, W> between;
        convert_into<W>(between, v);
        convert_into<W>(out, between);
    } else if constexpr (from_integer != to_integer && (from < 4 || to < 4)) {
        lanes<std::int32_t, W> between;
        convert_into<W>(between, v);
        convert_into<W>(out, between);
    } else {
        out = __builtin_convertvector(v, Out);
    }
}
} // namespace detail

template <class To, int W, class V> TRACEXPR_INLINE lanes<To, W> convert_lanes(V const& v) {
    lanes<To, W> out;
    detail::convert_into<W>(out, v);
    // g++ 12 merges a choice and the widening of a partial register into one instruction, and then fails to find it.
    if constexpr (std::is_integral_v<To> && sizeof(V) < 16 && sizeof(out) > sizeof(V) && sizeof(out) >= 16)
        return in_register(out);
    else return out;
}

} // namespace tx::inline TRACEXPR_TARGET::simd
