// This file finds the places of extremes of values in tiles: of rows, and of columns whose elements come one row after the other.
#pragma once

#include <tracexpr/backends/calls/extremes.hpp>

#include <algorithm>
#include <cstring>

namespace tx::inline TRACEXPR_TARGET::simd::tiles::detail {

// Routines that find the places of one extreme in values of one dtype.
struct place_routines {
    // Finds the place in each of `rows` rows of n elements, which are `next` bytes apart.
    void (*rows)(std::byte const* values, std::int64_t rows, std::int64_t next, std::int64_t n, std::int64_t* out) = nullptr;
    // Joins the extreme of a part of a row, which is at `place`, to that of the row, which is stored as a word of 8 bytes with
    // the extreme, and one with its place. It replaces that one if it is more extreme, or if the part is the first.
    void (*join)(std::byte const* extreme, std::int64_t place, bool is_first, std::byte* row) = nullptr;
    // Joins the elements number `place` of n columns to the columns' extremes.
    void (*columns)(std::byte const* values, std::int64_t n, std::int64_t place, std::byte* extremes,
                    std::int64_t* places) = nullptr;
};

template <class T, class Rule> struct places_in_tiles {
    static void of_rows(std::byte const* values, std::int64_t rows, std::int64_t next, std::int64_t n, std::int64_t* out) {
        using simd::detail::positions;
        if (next == n * static_cast<std::int64_t>(sizeof(T)))
            return positions<Rule, simd::default_arch>(rows, n, 1, reinterpret_cast<T const*>(values), out);
        for (std::int64_t row = 0; row < rows; ++row, values += next)
            positions<Rule, simd::default_arch>(1, n, 1, reinterpret_cast<T const*>(values), out + row);
    }
    static void join(std::byte const* extreme, std::int64_t place, bool is_first, std::byte* row) {
        T const& value = *reinterpret_cast<T const*>(extreme);
        T& best = *reinterpret_cast<T*>(row);
        if (!is_first && !simd::detail::replaces<Rule>(value, best)) return;
        best = value;
        std::memcpy(row + 8, &place, sizeof place);
    }
    static void of_columns(std::byte const* values, std::int64_t n, std::int64_t place, std::byte* extremes,
                           std::int64_t* places) {
        T const* const x = reinterpret_cast<T const*>(values);
        T* const best = reinterpret_cast<T*>(extremes);
        if (place == 0) {
            std::copy_n(x, n, best);
            std::fill_n(places, n, std::int64_t{0});
            return;
        }
        for (std::int64_t i = 0; i < n; ++i) {
            bool const is_better = simd::detail::replaces<Rule>(x[i], best[i]);
            best[i] = is_better ? x[i] : best[i];
            places[i] = is_better ? place : places[i];
        }
    }
    static constexpr place_routines all{of_rows, join, of_columns};
};
template <class T> constexpr place_routines place_routines_of(op code) {
    if constexpr (simd::detail::counts_in_lanes<T>)
        return code == op::argmax ? places_in_tiles<T, simd::detail::greatest>::all
                                  : places_in_tiles<T, simd::detail::least>::all;
    else return {};
}

} // namespace tx::inline TRACEXPR_TARGET::simd::tiles::detail
