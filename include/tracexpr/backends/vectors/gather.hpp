// This file gathers: each lane is read at the index in that lane. It uses the processor's gather instructions for elements that
// have them, as these keep more loads in flight than reading one lane after the other, and reads lane by lane otherwise.
#pragma once

#include <tracexpr/backends/vectors/values.hpp>
#include <tracexpr/graph/literal.hpp>

#include <cstdint>

namespace tx::inline TRACEXPR_TARGET::simd {

// `places` holds the places that lanes refer to, in elements of a table; each group is as many as fill a register.
template <int W, class Arch> struct places {
    static constexpr int lanes_at_once = W < native_lanes<std::int64_t, Arch> ? W : native_lanes<std::int64_t, Arch>;
    static constexpr int groups = W / lanes_at_once;
    using group = lanes<std::int64_t, lanes_at_once>;
    group of[groups];
};

namespace detail {

// Returns the place of an index in a table of that stride (low) and extent (high). Negative indices count from the end; all
// indices have been checked.
template <class Index> TRACEXPR_HD constexpr std::int64_t place_of_index(Index index, literal_bits const& table) {
    auto const at = static_cast<std::int64_t>(index);
    return (at < 0 ? at + static_cast<std::int64_t>(table.high) : at) * static_cast<std::int64_t>(table.low);
}

// Returns the places of W indices which are `step` apart, of which the first `count` are used: the other lanes repeat the last of
// them.
template <int W, class Arch, class Index>
TRACEXPR_INLINE places<W, Arch> places_at(Index const* from, std::int64_t step, std::int64_t count, literal_bits const& table) {
    using made = places<W, Arch>;
    constexpr int n = made::lanes_at_once;
    made out;
    if constexpr (W == 1) {
        out.of[0] = place_of_index(*from, table);
    } else {
        for (int g = 0; g < made::groups; ++g) {
            lanes<Index, n> indices;
            if (step == 1 && count == W) {
                indices = load<n>(from + g * n);
            } else {
                Index some[n];
                for (int k = 0; k < n; ++k) some[k] = from[(g * n + k < count ? g * n + k : count - 1) * step];
                indices = load<n>(some);
            }
            auto at = convert_lanes<std::int64_t, n>(indices);
            if constexpr (std::is_signed_v<Index>) at += (at >> 63) & static_cast<std::int64_t>(table.high);
            out.of[g] = at * static_cast<std::int64_t>(table.low);
        }
    }
    return out;
}

// True if the processor gathers that many elements of that size faster than it loads them one by one. (AVX2's gathers of four are
// not faster.)
#if defined(__AVX512F__)
template <class T, int N> inline constexpr bool gathers = is_vectorizable<T> && sizeof(T) >= 4 && N == 8;
template <class T> TRACEXPR_INLINE lanes<T, 8> gather_eight(T const* from, lanes<std::int64_t, 8> const& at) {
    __m512i const places = __builtin_bit_cast(__m512i, at);
    __mmask8 all = __mmask8(-1);
#if defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
    // Otherwise g++ 12 leaves the zeros out, and each gather waits for the previous value of its register.
    asm("" : "+Yk"(all));
#endif
    if constexpr (sizeof(T) == 4)
        return __builtin_bit_cast(lanes<T, 8>, _mm512_mask_i64gather_epi32(_mm256_setzero_si256(), all, places, from, 4));
    else return __builtin_bit_cast(lanes<T, 8>, _mm512_mask_i64gather_epi64(_mm512_setzero_si512(), all, places, from, 8));
}
#else
template <class T, int N> inline constexpr bool gathers = false;
template <class T, int N> TRACEXPR_INLINE lanes<T, N> gather_eight(T const*, lanes<std::int64_t, N> const&) { return {}; }
#endif
// Joins two halves to a register.
template <class T, int N> TRACEXPR_INLINE lanes<T, 2 * N> joined(lanes<T, N> const& low, lanes<T, N> const& high) {
#if defined(__AVX512F__)
    if constexpr (sizeof low == 32)
        return __builtin_bit_cast(lanes<T, 2 * N>, _mm512_inserti64x4(_mm512_castsi256_si512(__builtin_bit_cast(__m256i, low)),
                                                                      __builtin_bit_cast(__m256i, high), 1));
#endif
    lanes<T, 2 * N> out;
    std::memcpy(&out, &low, sizeof low);
    std::memcpy(reinterpret_cast<std::byte*>(&out) + sizeof low, &high, sizeof high);
    return out;
}

} // namespace detail

// from[place of lane k + (first + k) * step], of which the first `count` lanes are used: the other lanes repeat the last of them.
template <class T, int W, int MaskBytes, class Arch> TRACEXPR_INLINE value<T, W, MaskBytes>
gather_value(T const* from, places<W, Arch> const& at, std::int64_t first, std::int64_t step, std::int64_t count) {
    constexpr int n = places<W, Arch>::lanes_at_once, groups = places<W, Arch>::groups;
    auto const group = [&](int g) TRACEXPR_INLINE_LAMBDA {
        if constexpr (n == 1) {
            return at.of[g] + first * step;
        } else {
            auto lane = lane_numbers<std::int64_t, n>() + g * n;
            if (count < W) lane = lane < count ? lane : lanes<std::int64_t, n>{} + (count - 1);
            return at.of[g] + (lane + first) * step;
        }
    };
    if constexpr (detail::gathers<T, n> && groups == 1) {
        return detail::gather_eight(from, group(0));
    } else if constexpr (detail::gathers<T, n> && groups == 2) {
        return detail::joined<T, n>(detail::gather_eight(from, group(0)), detail::gather_eight(from, group(1)));
    } else {
        T some[W];
        for (int g = 0; g < groups; ++g) {
            std::int64_t place[n];
            auto const v = group(g);
            std::memcpy(place, &v, sizeof v);
            for (int k = 0; k < n; ++k) some[g * n + k] = from[place[k]];
        }
        return load_value<T, W, MaskBytes>(some);
    }
}

} // namespace tx::inline TRACEXPR_TARGET::simd
