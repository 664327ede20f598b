// This file checks the indices of lookups and updates: all of them at once, before anything is written. They are then used
// without checks.
#pragma once

#include <tracexpr/backends/vectors/lanes.hpp>
#include <tracexpr/base/error.hpp>

#include <bit>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>

namespace tx::inline TRACEXPR_TARGET::simd {

namespace detail {

// index_bounds holds the bounds of a list of indices, which include 0: without indices both bounds are 0.
template <class Index> struct index_bounds {
    Index low = 0, high = 0;

    TRACEXPR_INLINE void include(Index index) {
        low = index < low ? index : low;
        high = index > high ? index : high;
    }
};
template <std::integral Index, class Arch> index_bounds<Index> bounds_of(Index const* indices, std::int64_t count) {
    constexpr int w = native_lanes<Index, Arch>, together = 4;
    index_bounds<Index> out;
    std::int64_t i = 0;
    if (count >= together * w) {
        lanes<Index, w> low[together]{}, high[together]{};
        for (; i + together * w <= count; i += together * w)
            for (int k = 0; k < together; ++k) {
                lanes<Index, w> const v = load<w>(indices + i + k * w);
                low[k] = v < low[k] ? v : low[k];
                high[k] = v > high[k] ? v : high[k];
            }
        for (int k = 0; k < together; ++k)
            for (int lane = 0; lane < w; ++lane) out.include(low[k][lane]), out.include(high[k][lane]);
    }
    for (; i < count; ++i) out.include(indices[i]);
    return out;
}
template <std::integral Index> bool is_within(Index index, std::int64_t n) {
    if constexpr (std::is_signed_v<Index>) return index >= -n && index < n;
    else return index < static_cast<std::uint64_t>(n);
}
template <std::integral Index> [[noreturn]] TRACEXPR_NOINLINE void throw_index(Index const* indices, std::int64_t count,
                                                                               std::int64_t n, int axis, char const* function) {
    std::int64_t i = 0;
    while (i + 1 < count && is_within(indices[i], n)) ++i;
    throw shape_error("tx: " + std::string(function) + ": index " + std::to_string(indices[i]) + " is out of bounds for axis " +
                      std::to_string(axis) + " with size " + std::to_string(n));
}

} // namespace detail

// Says whether all indices count from the begin of their axis, or negative ones count from its end.
enum class index_origin : std::uint8_t { begin, either };

// Checks indices into an axis of n elements; negative ones count from the end. Throws shape_error for one outside of [-n, n).
template <std::integral Index, class Arch = simd::default_arch>
index_origin check_indices(Index const* indices, std::int64_t count, std::int64_t n, int axis, char const* function) {
    if (count == 0) return index_origin::begin;
    auto const [low, high] = detail::bounds_of<Index, Arch>(indices, count);
    // 0 is always among the bounds; it is within any axis that has elements.
    if (n == 0 || !detail::is_within(low, n) || !detail::is_within(high, n))
        detail::throw_index(indices, count, n, axis, function);
    return low < Index(0) ? index_origin::either : index_origin::begin;
}

// Returns the position that a checked index refers to.
template <index_origin From = index_origin::either, std::integral Index>
TRACEXPR_INLINE std::int64_t position(Index index, std::int64_t n) {
    auto const at = static_cast<std::int64_t>(index);
    if constexpr (From == index_origin::begin || std::is_unsigned_v<Index>) return at;
    else return at < 0 ? at + n : at;
}

namespace detail {
// Calls f(i, the position of index i) in order. Two indices of 4 bytes are read by one load, which leaves room for other loads.
template <index_origin From, std::integral Index, class F>
TRACEXPR_INLINE void for_each_position(Index const* indices, std::int64_t count, std::int64_t n, F f) {
    std::int64_t i = 0;
    if constexpr (From == index_origin::begin && sizeof(Index) == 4 && std::endian::native == std::endian::little) {
        for (; i + 4 <= count; i += 4) {
            std::uint64_t pairs[2];
            std::memcpy(pairs, indices + i, sizeof pairs);
            f(i, static_cast<std::int64_t>(pairs[0] & 0xffff'ffffu)), f(i + 1, static_cast<std::int64_t>(pairs[0] >> 32));
            f(i + 2, static_cast<std::int64_t>(pairs[1] & 0xffff'ffffu)), f(i + 3, static_cast<std::int64_t>(pairs[1] >> 32));
        }
    } else {
        for (; i + 4 <= count; i += 4) {
            std::int64_t const at[]{position<From>(indices[i], n), position<From>(indices[i + 1], n),
                                    position<From>(indices[i + 2], n), position<From>(indices[i + 3], n)};
            f(i, at[0]), f(i + 1, at[1]), f(i + 2, at[2]), f(i + 3, at[3]);
        }
    }
    for (; i < count; ++i) f(i, position<From>(indices[i], n));
}
// Calls f with `from` as a constant.
template <class Index, class F> TRACEXPR_INLINE void with_origin(index_origin from, F f) {
    if (std::is_unsigned_v<Index> || from == index_origin::begin) f(std::integral_constant<index_origin, index_origin::begin>{});
    else f(std::integral_constant<index_origin, index_origin::either>{});
}
} // namespace detail

} // namespace tx::inline TRACEXPR_TARGET::simd
