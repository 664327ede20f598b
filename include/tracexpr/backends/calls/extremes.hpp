// Positions of extremes along one axis of a row-major array, seen as (outer, n, inner) as for scans.
#pragma once

#include <tracexpr/backends/calls/scan.hpp>
#include <tracexpr/backends/vectors/values.hpp>

#include <limits>

namespace tx::inline TRACEXPR_TARGET::simd {

namespace detail {

// What an extreme is: the greatest for argmax, the least for argmin. A NaN is not within anything, and nothing is within it.
struct greatest {
    template <class V> static TRACEXPR_INLINE auto within(V const& a, V const& best) { return a <= best; }
};
struct least {
    template <class V> static TRACEXPR_INLINE auto within(V const& a, V const& best) { return a >= best; }
};
// Does an element take the place of the best one before it? A NaN does, unless that is one.
template <class Rule, class T> constexpr bool replaces(T const& value, T const& best) {
    return (int{!Rule::within(value, best)} & int{!is_nan(best)}) != 0;
}

// Along `step`: the first NaN, or else the first extreme. Without branches, which processors would foretell wrongly.
template <class Rule, class T> std::int64_t scalar_position(T const* in, std::int64_t n, std::int64_t step) {
    std::int64_t at = 0;
    for (std::int64_t i = 1; i < n; ++i) at += (i - at) & -std::int64_t{replaces<Rule>(in[i * step], in[at * step])};
    return at;
}

// Types whose positions are found in vectors, each with a counter of as many bytes.
template <class T> inline constexpr bool counts_in_lanes = std::is_arithmetic_v<T> && (sizeof(T) == 4 || sizeof(T) == 8);
template <class T> using lane_counter = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;

// f(v, where it begins) for vectors that cover in[0 .. n), the last one reaching back; true where f was, which ends it.
template <int W, class T, class F> TRACEXPR_INLINE bool any_vector(T const* in, std::int64_t n, F f) {
    for (std::int64_t i = 0; i < n; i += W) {
        std::int64_t const at = std::min(i, n - W);
        if (f(load<W>(in + at), at)) return true;
    }
    return false;
}
// The first NaN, or else the first extreme of at least one vector.
template <class Rule, int W, class T> std::int64_t vector_position(T const* in, std::int64_t n) {
    using V = lanes<T, W>;
    V best = load<W>(in);
    auto unordered = best != best;
    any_vector<W>(in, n, [&](V const& v, std::int64_t) TRACEXPR_INLINE_LAMBDA {
        best = Rule::within(v, best) ? best : v;
        unordered |= v != v;
        return false;
    });
    T extreme = best[0];
    for (int lane = 1; lane < W; ++lane) extreme = replaces<Rule>(T(best[lane]), extreme) ? T(best[lane]) : extreme;
    bool const has_nan = any_lane(unordered);
    std::int64_t found = 0;
    any_vector<W>(in, n, [&](V const& v, std::int64_t at) TRACEXPR_INLINE_LAMBDA {
        found = at;
        return any_lane(has_nan ? v != v : v == extreme);
    });
    while (has_nan ? !is_nan(in[found]) : in[found] != extreme) ++found;
    return found;
}

// Is every element of the vectors that cover in[0 .. n) within `best`?
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

// Block by block, as most blocks of a long row hold no new extreme.
template <class Rule, class Arch, class T> std::int64_t row_position(T const* in, std::int64_t n) {
    constexpr int w = native_lanes<T, Arch>;
    constexpr std::int64_t block = 64 * w;
    std::int64_t best = vector_position<Rule, w>(in, std::min(n, block));
    for (std::int64_t start = block; start < n && !is_nan(in[best]); start += block) {
        std::int64_t const from = std::min(start, n - w), count = std::min(block, n - from);
        if (!all_within<Rule, Arch>(in + from, count, in[best])) best = from + vector_position<Rule, w>(in + from, count);
    }
    return best;
}

// In lanes that are `apart` from each other, along `step`; n is not beyond what a counter holds.
template <class Rule, int Vectors, int W, class T>
TRACEXPR_INLINE void lane_positions(T const* in, std::int64_t n, std::int64_t step, std::int64_t apart, std::int64_t* out) {
    auto const load_lanes = [&](std::int64_t i, int k) TRACEXPR_INLINE_LAMBDA {
        T const* const from = in + i * step + k * W * apart;
        return apart == 1 ? load<W>(from) : load_apart<0, T, W, static_cast<int>(sizeof(T))>(from, apart);
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
        if (inner == 1 && n < w) // short rows: a row a lane
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

// Positions along the middle axis of (outer, n, inner), n > 0: of the first NaN, or else of the first greatest (least) element.
// `out` is (outer, inner).
template <class T, class Arch = xsimd::default_arch>
void argmax(std::int64_t outer, std::int64_t n, std::int64_t inner, T const* in, std::int64_t* out) {
    detail::positions<detail::greatest, Arch>(outer, n, inner, in, out);
}
template <class T, class Arch = xsimd::default_arch>
void argmin(std::int64_t outer, std::int64_t n, std::int64_t inner, T const* in, std::int64_t* out) {
    detail::positions<detail::least, Arch>(outer, n, inner, in, out);
}

} // namespace tx::inline TRACEXPR_TARGET::simd
