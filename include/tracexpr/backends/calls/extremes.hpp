// This file finds the positions of extremes along one axis of a row-major array, seen as (outer, n, inner) as for scans.
#pragma once

#include <tracexpr/backends/calls/scan.hpp>
#include <tracexpr/backends/vectors/values.hpp>

#include <limits>

namespace tx::inline TRACEXPR_TARGET::simd {

namespace detail {

// A rule says which extreme is wanted: the greatest for argmax, the least for argmin. within(a, best) tells that a does not beat
// `best`; it is false if either is NaN.
struct greatest {
    template <class V> static TRACEXPR_INLINE auto within(V const& a, V const& best) { return a <= best; }
    template <class B> static TRACEXPR_INLINE B chosen(B const& a, B const& b) { return batch_max(a, b); }
};
struct least {
    template <class V> static TRACEXPR_INLINE auto within(V const& a, V const& best) { return a >= best; }
    template <class B> static TRACEXPR_INLINE B chosen(B const& a, B const& b) { return batch_min(a, b); }
};
// True if an element replaces the best one before it. A NaN does, unless the best one is NaN.
template <class Rule, class T> constexpr bool replaces(T const& value, T const& best) {
    return (int{!Rule::within(value, best)} & int{!is_nan(best)}) != 0;
}

// Returns the position of the first NaN along `step`, or else of the first extreme. It has no branches, which a processor would
// mispredict.
template <class Rule, class T> std::int64_t scalar_position(T const* in, std::int64_t n, std::int64_t step) {
    std::int64_t at = 0;
    for (std::int64_t i = 1; i < n; ++i) at += (i - at) & -std::int64_t{replaces<Rule>(in[i * step], in[at * step])};
    return at;
}

// counts_in_lanes tells whether positions of extremes are found in vectors, where each lane has a counter of T's size.
template <class T> inline constexpr bool counts_in_lanes = std::is_arithmetic_v<T> && (sizeof(T) == 4 || sizeof(T) == 8);
template <class T> using lane_counter = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;

// Returns the first place in in[0 .. n), at least one vector long, for which is_it(batch) and is_it(element) hold.
template <class Arch, class T, class Is> TRACEXPR_INLINE std::int64_t first_place(T const* in, std::int64_t n, Is is_it) {
    using batch = xsimd::batch<T, Arch>;
    constexpr auto w = static_cast<std::int64_t>(batch::size);
    auto const here = [&](std::int64_t i) TRACEXPR_INLINE_LAMBDA { return is_it(batch::load_unaligned(in + i)); };
    std::int64_t at = 0;
    while (at + 4 * w <= n && !xsimd::any((here(at) | here(at + w)) | (here(at + 2 * w) | here(at + 3 * w)))) at += 4 * w;
    while (at + w <= n && !xsimd::any(here(at))) at += w;
    while (at < n && !is_it(in[at])) ++at;
    return at;
}
// Returns the position of the first NaN, or else of the first extreme, of at least one vector. NaN is detected by a product with
// 0, which is NaN for all that is not finite.
template <class Rule, class Arch, class T> std::int64_t vector_position(T const* in, std::int64_t n) {
    using batch = xsimd::batch<T, Arch>;
    constexpr int w = static_cast<int>(batch::size);
    auto const at = [&](std::int64_t i) TRACEXPR_INLINE_LAMBDA { return batch::load_unaligned(in + i); };
    batch best[4]{at(0), at(0), at(0), at(0)}, zero_products[4]{batch(T(0)), batch(T(0)), batch(T(0)), batch(T(0))};
    auto const accumulate = [&](batch const& v, int k) TRACEXPR_INLINE_LAMBDA {
        best[k] = Rule::chosen(best[k], v);
        if constexpr (std::is_floating_point_v<T>) zero_products[k] = xsimd::fma(v, batch(T(0)), zero_products[k]);
    };
    std::int64_t i = 0;
    for (; i + 4 * w <= n; i += 4 * w)
        for (int k = 0; k < 4; ++k) accumulate(at(i + k * w), k);
    for (; i < n; i += w) accumulate(at(std::min<std::int64_t>(i, n - w)), 0);
    batch const sum_of_products = (zero_products[0] + zero_products[1]) + (zero_products[2] + zero_products[3]);
    if (!xsimd::all(sum_of_products == sum_of_products)) {
        // The != of xsimd 8 is false for NaN with AVX-512.
        std::int64_t const first = first_place<Arch>(in, n, [](auto const& v) TRACEXPR_INLINE_LAMBDA { return !(v == v); });
        if (first < n) return first;
    }
    batch const all = Rule::chosen(Rule::chosen(best[0], best[1]), Rule::chosen(best[2], best[3]));
    T const extreme =
        reduce_lanes<w>(__builtin_bit_cast(lanes<T, w>, all),
                        [](auto const& a, auto const& b) TRACEXPR_INLINE_LAMBDA { return Rule::within(b, a) ? a : b; });
    return first_place<Arch>(
        in, n, [extreme](auto const& v) TRACEXPR_INLINE_LAMBDA { return v == std::remove_cvref_t<decltype(v)>(extreme); });
}

// True if all elements of in[0 .. n), at least one vector long, are within `best`.
template <class Rule, class Arch, class T> bool all_within(T const* in, std::int64_t n, T best) {
    using batch = xsimd::batch<T, Arch>;
    constexpr auto w = static_cast<std::int64_t>(batch::size);
    batch const bound(best);
    auto const within = [&](std::int64_t i) TRACEXPR_INLINE_LAMBDA { return Rule::within(batch::load_unaligned(in + i), bound); };
    auto all = bound == bound;
    std::int64_t i = 0;
    for (; i + 4 * w <= n; i += 4 * w) all = all & ((within(i) & within(i + w)) & (within(i + 2 * w) & within(i + 3 * w)));
    for (; i < n; i += w) all = all & within(std::min(i, n - w));
    return xsimd::all(all);
}

// Finds the position in a long row block by block, as most blocks hold no new extreme and need only be compared.
template <class Rule, class Arch, class T> std::int64_t row_position(T const* in, std::int64_t n) {
    constexpr int w = native_lanes<T, Arch>;
    constexpr std::int64_t block = 64 * w;
    std::int64_t best = vector_position<Rule, Arch>(in, std::min(n, block));
    for (std::int64_t start = block; start < n && !is_nan(in[best]); start += block) {
        std::int64_t const from = std::min(start, n - w), count = std::min(block, n - from);
        if (!all_within<Rule, Arch>(in + from, count, in[best])) best = from + vector_position<Rule, Arch>(in + from, count);
    }
    return best;
}

// Finds an extreme in each of W * Vectors lanes, which are `lane_stride` elements from each other, along `step`; a counter must
// be able to hold n.
template <class Rule, int Vectors, int W, class T>
TRACEXPR_INLINE void lane_positions(T const* in, std::int64_t n, std::int64_t step, std::int64_t lane_stride, std::int64_t* out) {
    auto const load_lanes = [&](std::int64_t i, int k) TRACEXPR_INLINE_LAMBDA {
        T const* const from = in + i * step + k * W * lane_stride;
        return lane_stride == 1 ? load<W>(from) : load_apart<0, T, W, static_cast<int>(sizeof(T))>(from, lane_stride);
    };
    using counter = lane_counter<T>;
    lanes<T, W> best[Vectors];
    lanes<counter, W> at[Vectors]{};
    for (int k = 0; k < Vectors; ++k) best[k] = load_lanes(0, k);
    for (std::int64_t i = 1; i < n; ++i)
        for (int k = 0; k < Vectors; ++k) {
            auto const value = load_lanes(i, k);
            auto const better = ~Rule::within(value, best[k]) & (best[k] == best[k]);
            best[k] = better ? value : best[k];
            at[k] = better ? lanes<counter, W>{} + static_cast<counter>(i) : at[k];
        }
    for (int k = 0; k < Vectors; ++k)
        for (int lane = 0; lane < W; ++lane) out[k * W + lane] = at[k][lane];
}

template <class Rule, class Arch, class T>
void positions(std::int64_t outer, std::int64_t n, std::int64_t inner, T const* in, std::int64_t* out) {
    constexpr int w = counts_in_lanes<T> ? native_lanes<T, Arch> : 1, together = 8;
    std::int64_t o = 0;
    if constexpr (counts_in_lanes<T>)
        if (inner == 1 && n < 4 * w) // short rows are done with a row in each lane
            for (; o + w <= outer; o += w, in += w * n, out += w) lane_positions<Rule, 1, w>(in, n, 1, n, out);
    for (; o < outer; ++o, in += n * inner, out += inner) {
        std::int64_t j = 0;
        if constexpr (counts_in_lanes<T>) {
            if (inner == 1 && n >= w) {
                *out = row_position<Rule, Arch>(in, n);
                continue;
            }
            if (n <= std::numeric_limits<lane_counter<T>>::max()) {
                for (; j + together * w <= inner; j += together * w)
                    lane_positions<Rule, together, w>(in + j, n, inner, 1, out + j);
                for (; j + w <= inner; j += w) lane_positions<Rule, 1, w>(in + j, n, inner, 1, out + j);
            }
        }
        for (; j < inner; ++j) out[j] = scalar_position<Rule>(in + j, n, inner);
    }
}
} // namespace detail

// Finds positions along the middle axis of (outer, n, inner), n > 0: that of the first NaN, or else that of the first greatest
// (least) element. `out` is (outer, inner).
template <class T, class Arch = simd::default_arch>
void argmax(std::int64_t outer, std::int64_t n, std::int64_t inner, T const* in, std::int64_t* out) {
    detail::positions<detail::greatest, Arch>(outer, n, inner, in, out);
}
template <class T, class Arch = simd::default_arch>
void argmin(std::int64_t outer, std::int64_t n, std::int64_t inner, T const* in, std::int64_t* out) {
    detail::positions<detail::least, Arch>(outer, n, inner, in, out);
}

} // namespace tx::inline TRACEXPR_TARGET::simd
