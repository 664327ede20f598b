// This file decomposes the small square matrices of a batch, with one example in each lane. A block of examples is transposed
// into vectors, each of which holds one element of all of them; the loops of decompositions.hpp run on these, and the result is
// transposed back. Rows are swapped, and steps skipped, lane by lane, so that each example has the result of those loops.
// Operands and results must not overlap.
#pragma once

#include <tracexpr/backends/calls/decompositions.hpp>
#include <tracexpr/backends/loops/transpose.hpp>
#include <tracexpr/backends/math/primitives.hpp>
#include <tracexpr/backends/vectors/values.hpp>
#include <tracexpr/base/config.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

namespace tx::inline TRACEXPR_TARGET::simd::detail {

// `examples` has a matrix for each of W examples. A row has `columns` vectors.
template <class T, int W> struct examples {
    using vector = lanes<T, W>;
    using mask = lanes<signed_of_size<sizeof(T)>, W>;
    T* data;
    std::int64_t columns;

    TRACEXPR_INLINE T* at(std::int64_t i, std::int64_t j) const { return data + (i * columns + j) * W; }
    TRACEXPR_INLINE vector get(std::int64_t i, std::int64_t j) const { return load<W>(at(i, j)); }
    TRACEXPR_INLINE void put(std::int64_t i, std::int64_t j, vector const& value) const { store<W>(at(i, j), value); }
    // Subtracts a product from element (i, j).
    TRACEXPR_INLINE void subtract(std::int64_t i, std::int64_t j, vector const& a, vector const& b) const {
        TRACEXPR_FUSES
        put(i, j, get(i, j) - a * b);
    }
};

// Returns the absolute value of each lane, by clearing its sign bit.
template <class T, int W> TRACEXPR_INLINE lanes<T, W> size_of_lanes(lanes<T, W> const& v) {
    using word = signed_of_size<sizeof(T)>;
    lanes<word, W> bits;
    std::memcpy(&bits, &v, sizeof v);
    bits &= std::numeric_limits<word>::max();
    return load<W>(reinterpret_cast<T const*>(&bits));
}

// True if Side, the type of a number of rows, is a constant: the matrices are then so small that branches don't pay.
template <class Side> inline constexpr bool is_short = !std::is_same_v<Side, std::int64_t>;

// Does plain::lu in lanes. `places` has a vector of integers for each row. Returns the lanes in which a pivot was 0; their
// results are of no use. Side is the type of the number of rows, which is a constant where it is small.
template <class Side, class T, int W>
TRACEXPR_INLINE auto lu_lanes(Side n, examples<T, W> a, signed_of_size<sizeof(T)>* places, T* signs) {
    using vector = typename examples<T, W>::vector;
    using mask = typename examples<T, W>::mask;
    using word = signed_of_size<sizeof(T)>;
    mask without_pivot{};
    for (std::int64_t i = 0; i < n; ++i) store<W>(places + i * W, mask{} + static_cast<word>(i));
    for (std::int64_t k = 0; k < n; ++k) {
        mask const here = mask{} + static_cast<word>(k);
        mask best = here;
        vector largest = size_of_lanes<T, W>(a.get(k, k));
        for (std::int64_t i = k + 1; i < n; ++i) {
            vector const size = size_of_lanes<T, W>(a.get(i, k));
            auto const larger = size > largest;
            largest = larger ? size : largest;
            best = larger ? mask{} + static_cast<word>(i) : best;
        }
        auto const moved = best != here;
        store<W>(signs + k * W, moved ? vector{} - T(1) : vector{} + T(1));
        for (std::int64_t i = k + 1; i < n; ++i) {
            auto const swapped = best == mask{} + static_cast<word>(i);
            if (!is_short<Side> && !any_lane(swapped)) continue;
            for (std::int64_t j = 0; j < n; ++j) {
                vector const x = a.get(k, j), y = a.get(i, j);
                a.put(k, j, swapped ? y : x);
                a.put(i, j, swapped ? x : y);
            }
            mask const x = load<W>(places + k * W), y = load<W>(places + i * W);
            store<W>(places + k * W, mask(swapped ? y : x));
            store<W>(places + i * W, mask(swapped ? x : y));
        }
        vector const pivot = a.get(k, k);
        without_pivot |= pivot == vector{};
        for (std::int64_t i = k + 1; i < n; ++i) {
            vector const factor = a.get(i, k) / pivot;
            a.put(i, k, factor);
            for (std::int64_t j = k + 1; j < n; ++j) a.subtract(i, j, factor, a.get(k, j));
        }
    }
    return without_pivot;
}

// Does plain::copy_symmetric and plain::cholesky in lanes, on the lower triangle. Returns the lanes in which a pivot was not
// positive.
template <class Arch, class Side, class T, int W> TRACEXPR_INLINE auto cholesky_lanes(Side n, examples<T, W> a) {
    using vector = typename examples<T, W>::vector;
    typename examples<T, W>::mask without_pivot{};
    for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t j = 0; j <= i; ++j) a.put(i, j, a.get(i, j) / T(2) + a.get(j, i) / T(2));
    for (std::int64_t k = 0; k < n; ++k) {
        without_pivot |= a.get(k, k) <= vector{};
        vector const pivot = from_batch<W>(math::prim::sqrt(to_batch<Arch, W, T>(a.get(k, k))));
        a.put(k, k, pivot);
        for (std::int64_t i = k + 1; i < n; ++i) a.put(i, k, a.get(i, k) / pivot);
        for (std::int64_t i = k + 1; i < n; ++i)
            for (std::int64_t j = k + 1; j <= i; ++j) a.subtract(i, j, a.get(i, k), a.get(j, k));
        for (std::int64_t j = k + 1; j < n; ++j) a.put(k, j, vector{});
    }
    return without_pivot;
}

// Does plain::solve_triangular in lanes.
template <class Side, class Columns, class T, int W>
TRACEXPR_INLINE void solve_triangular_lanes(Side n, Columns k, examples<T, W> a, triangle form, examples<T, W> x) {
    bool const forward = form.lower != form.transposed;
    for (std::int64_t done = 0; done < n; ++done) {
        std::int64_t const i = forward ? done : n - 1 - done;
        for (std::int64_t earlier = 0; earlier < done; ++earlier) {
            std::int64_t const j = forward ? earlier : n - 1 - earlier;
            auto const factor = form.transposed ? a.get(j, i) : a.get(i, j);
            for (std::int64_t c = 0; c < k; ++c) x.subtract(i, c, factor, x.get(j, c));
        }
        if (form.unit) continue;
        auto const pivot = a.get(i, i);
        for (std::int64_t c = 0; c < k; ++c) x.put(i, c, x.get(i, c) / pivot);
    }
}

} // namespace tx::inline TRACEXPR_TARGET::simd::detail
