// This file counts the bits of each lane that are 1, or the bits that are 0 at either end.
#pragma once

#include <tracexpr/backends/vectors/values.hpp>
#include <tracexpr/graph/op.hpp>

#include <limits>

namespace tx::inline TRACEXPR_TARGET::simd::detail {

#if defined(__AVX512BITALG__) && defined(__AVX512VPOPCNTDQ__) && defined(__AVX512CD__) && defined(__AVX512VL__)
inline constexpr int counted_bytes = 64;
template <int Size> TRACEXPR_INLINE auto ones_in(__m512i const& x) {
    if constexpr (Size == 1) return _mm512_popcnt_epi8(x);
    else if constexpr (Size == 2) return _mm512_popcnt_epi16(x);
    else if constexpr (Size == 4) return _mm512_popcnt_epi32(x);
    else return _mm512_popcnt_epi64(x);
}
template <int Size> TRACEXPR_INLINE auto ones_in(__m256i const& x) {
    if constexpr (Size == 1) return _mm256_popcnt_epi8(x);
    else if constexpr (Size == 2) return _mm256_popcnt_epi16(x);
    else if constexpr (Size == 4) return _mm256_popcnt_epi32(x);
    else return _mm256_popcnt_epi64(x);
}
template <int Size> TRACEXPR_INLINE auto leading_zeros_in(__m512i const& x) {
    if constexpr (Size == 4) return _mm512_maskz_lzcnt_epi32(__mmask16(-1), x); // see xsimd_compat.hpp
    else return _mm512_maskz_lzcnt_epi64(__mmask8(-1), x);
}
template <int Size> TRACEXPR_INLINE auto leading_zeros_in(__m256i const& x) {
    if constexpr (Size == 4) return _mm256_lzcnt_epi32(x);
    else return _mm256_lzcnt_epi64(x);
}
template <class V> TRACEXPR_INLINE auto whole_register(V const& x) {
    if constexpr (sizeof x == 64) return __builtin_bit_cast(__m512i, x);
    else return __builtin_bit_cast(__m256i, x);
}
#else
inline constexpr int counted_bytes = 0;
#endif
template <class V> inline constexpr bool counts_in_register = sizeof(V) <= counted_bytes && sizeof(V) >= 32;

// U is the unsigned type of the lanes.
template <class U, class V> TRACEXPR_INLINE V ones_of(V const& x) {
    if constexpr (counts_in_register<V>) {
        return __builtin_bit_cast(V, ones_in<sizeof(U)>(whole_register(x)));
    } else {
        // Counts in pairs of bits, in fours, in bytes, and then adds up the bytes (Warren, Hacker's Delight, section 5-1).
        constexpr U all = std::numeric_limits<U>::max();
        V count = x - ((x >> 1) & static_cast<U>(all / 3));
        count = (count & static_cast<U>(all / 5)) + ((count >> 2) & static_cast<U>(all / 5));
        count = (count + (count >> 4)) & static_cast<U>(all / 17);
        if constexpr (sizeof(U) > 1) count += count >> 8;
        if constexpr (sizeof(U) > 2) count += count >> 16;
        if constexpr (sizeof(U) > 4) count += count >> 32;
        return count & static_cast<U>(0xff);
    }
}
template <class U, class V> TRACEXPR_INLINE V leading_zeros_of(V x) {
    if constexpr (counts_in_register<V> && sizeof(U) >= 4) {
        return __builtin_bit_cast(V, leading_zeros_in<sizeof(U)>(whole_register(x)));
    } else { // sets all bits below the highest 1
        x |= x >> 1, x |= x >> 2, x |= x >> 4;
        if constexpr (sizeof(U) > 1) x |= x >> 8;
        if constexpr (sizeof(U) > 2) x |= x >> 16;
        if constexpr (sizeof(U) > 4) x |= x >> 32;
        return ones_of<U>(static_cast<V>(~x));
    }
}
template <op Code, class T, class V> TRACEXPR_INLINE V counted(V const& of) {
    using U = std::make_unsigned_t<T>;
    using bits = lanes<U, static_cast<int>(sizeof(V) / sizeof(T))>;
    bits const x = (bits)of;
    if constexpr (Code == op::population_count) return (V)ones_of<U>(x);
    else if constexpr (Code == op::count_leading_zeros) return (V)leading_zeros_of<U>(x);
    else return (V)ones_of<U>(static_cast<bits>(~x & (x - 1)));
}

} // namespace tx::inline TRACEXPR_TARGET::simd::detail
