// This file adds to a part of a tensor, or sets it: slices, diagonals and lookups say which elements are written. The tensor is
// changed in place.
#pragma once

#include <tracexpr/backends/calls/indices.hpp>
#include <tracexpr/backends/calls/scan.hpp>
#include <tracexpr/backends/vectors/values.hpp>
#include <tracexpr/graph/infer.hpp>

#include <algorithm>
#include <concepts>
#include <cstdint>

namespace tx::inline TRACEXPR_TARGET::simd {

// same_elements is an array of which every element has the same value.
template <class T> struct same_elements {
    T element;
    T operator[](std::int64_t) const { return element; }
    same_elements& operator+=(std::int64_t) { return *this; }
    friend same_elements operator+(same_elements const& a, std::int64_t) { return a; }
};

// `replaced` is the Join of updates that set elements; others use plus or an extreme. A Join makes the new element of the old one
// and the given one.
struct replaced {
    template <class T> static TRACEXPR_INLINE T scalar(T const&, T const& next) { return next; }
    template <class V> static TRACEXPR_INLINE V vector(V const&, V const& next) { return next; }
};
template <op Code> using join_of =
    std::conditional_t<sets_elements(Code), replaced,
                       std::conditional_t<keeps_greatest(Code), detail::maximum_or_nan,
                                          std::conditional_t<keeps_least(Code), detail::minimum_or_nan, detail::plus>>>;

// The functions below take the elements to add or set as a pointer or as same_elements.

// Joins row-major elements of shape `part` to out[offset + sum of index * stride].
template <class Join, class T, class Added>
void update_strided(Added added, dims const& part, T* out, std::int64_t offset, std::int64_t const* strides) {
    std::int64_t const run = part.rank ? part[part.rank - 1] : 1;
    std::int64_t const pace = part.rank ? strides[part.rank - 1] : 1;
    if (part.size() == 0) return;
    std::int64_t index[max_rank]{};
    for (;; added += run) {
        T* const to = out + offset;
        if (pace == 1)
            for (std::int64_t i = 0; i < run; ++i) to[i] = Join::scalar(to[i], added[i]);
        else
            for (std::int64_t i = 0; i < run; ++i) to[i * pace] = Join::scalar(to[i * pace], added[i]);
        int axis = part.rank - 2;
        for (; axis >= 0; --axis) {
            offset += strides[axis];
            if (++index[axis] < part[axis]) break;
            offset -= strides[axis] * part[axis];
            index[axis] = 0;
        }
        if (axis < 0) return;
    }
}

namespace detail {
// Joins added[j] to to[j], a vector at a time, and the rest by vectors of half as many lanes, and so on.
template <class Join, class Arch, int W, class T, class Added>
TRACEXPR_INLINE void update_row(T* to, Added added, std::int64_t count) {
    if constexpr (W > 1 && is_vectorizable<T>) {
        // namespace detail has a function named wrapping
        using number = std::conditional_t<std::is_same_v<Join, plus>, simd::wrapping<T>, T>;
        number* const out = reinterpret_cast<number*>(to);
        std::int64_t j = 0;
        for (; j + W <= count; j += W) {
            lanes<number, W> more;
            if constexpr (std::is_pointer_v<Added>) more = load<W>(reinterpret_cast<number const*>(added + j));
            else more = broadcast_value<number, W, sizeof(number)>(static_cast<number>(added[j]));
            store<W>(out + j, Join::vector(load<W>(out + j), more));
        }
        if (j < count) update_row<Join, Arch, W / 2>(to + j, added + j, count - j);
    } else {
        for (std::int64_t j = 0; j < count; ++j) to[j] = Join::scalar(to[j], added[j]);
    }
}

// Adds one number for each index. Equal indices next to each other would wait for each other's result, so four tables are used in
// turn.
template <index_origin From, class T, std::integral Index>
void count_indices(std::int64_t n, T* out, std::int64_t count, Index const* indices, T added) {
    constexpr std::int64_t most = 1024;
    auto const add = [&](T* to, std::int64_t i) TRACEXPR_INLINE_LAMBDA {
        T& sum = to[position<From>(indices[i], n)];
        sum = plus::scalar(sum, added);
    };
    std::int64_t i = 0;
    if (n <= most && count >= 16 * n) {
        T more[3][most];
        for (T* const table : more) std::fill_n(table, n, T{});
        for (; i + 4 <= count; i += 4) add(out, i), add(more[0], i + 1), add(more[1], i + 2), add(more[2], i + 3);
        for (T const* const table : more)
            for (std::int64_t at = 0; at < n; ++at) out[at] = plus::scalar(out[at], table[at]);
    }
    for (; i < count; ++i) add(out, i);
}
} // namespace detail

// Joins added(o, i, j) to out(o, indices[i], j), in the order of i: (outer, count, inner) into (outer, n, inner). The indices
// have been checked; `from` says whether some are negative.
template <class Join, class Arch, class T, std::integral Index, class Added>
void update_indexed(std::int64_t outer, std::int64_t n, std::int64_t inner, T* out, std::int64_t count, Index const* indices,
                    index_origin from, Added added) {
    detail::with_origin<Index>(from, [&](auto origin) {
        constexpr bool counts = std::is_integral_v<T> && !std::is_same_v<T, bool> && std::is_same_v<Added, same_elements<T>> &&
                                std::is_same_v<Join, detail::plus>;
        for (std::int64_t o = 0; o < outer; ++o, out += n * inner, added += count * inner) {
            if (inner != 1) {
                for (std::int64_t i = 0; i < count; ++i)
                    detail::update_row<Join, Arch, native_lanes<T, Arch>>(out + position<origin.value>(indices[i], n) * inner,
                                                                          added + i * inner, inner);
            } else if constexpr (counts) {
                detail::count_indices<origin.value>(n, out, count, indices, added.element);
            } else {
                detail::for_each_position<origin.value>(
                    indices, count, n,
                    [&](std::int64_t i, std::int64_t at) TRACEXPR_INLINE_LAMBDA { out[at] = Join::scalar(out[at], added[i]); });
            }
        }
    });
}

// Joins added(o, i, j) to out(o, indices(o, i, j), j). The indices have been checked; `from` says whether some are negative.
template <class Join, class T, std::integral Index, class Added>
void update_scattered(std::int64_t outer, std::int64_t n, std::int64_t inner, T* out, std::int64_t count, Index const* indices,
                      index_origin from, Added added) {
    detail::with_origin<Index>(from, [&](auto origin) {
        // If the indexed axis is the last, a row of indices covers the whole axis.
        std::int64_t const rows = inner == 1 ? 1 : count, row = inner == 1 ? count : inner;
        for (std::int64_t o = 0; o < outer; ++o, out += n * inner)
            for (std::int64_t i = 0; i < rows; ++i, indices += row, added += row)
                detail::for_each_position<origin.value>(indices, row, n,
                                                        [&](std::int64_t j, std::int64_t at) TRACEXPR_INLINE_LAMBDA {
                                                            T& to = out[inner == 1 ? at : at * inner + j];
                                                            to = Join::scalar(to, added[j]);
                                                        });
    });
}

} // namespace tx::inline TRACEXPR_TARGET::simd
