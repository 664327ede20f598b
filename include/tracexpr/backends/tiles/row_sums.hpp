// This file sums a row in the order of the static executor, even if its elements come in several parts.
#pragma once

#include <tracexpr/backends/tiles/program.hpp>

#include <algorithm>
#include <cstring>

namespace tx::inline TRACEXPR_TARGET::simd::tiles::detail {

// `partials` is the memory of a reduction's partial results, in the order of partial_bytes.
struct partials {
    std::byte *sums, *some, *total;
    tile_cascade cascade;
};

inline bool has_registers(reduction const& r) {
    return r.sums.across && r.lanes * static_cast<int>(r.combine.bytes) == simd::detail::register_bytes<simd::default_arch>();
}
// Combines all lanes of a vector, halves first. The vector is overwritten.
inline std::byte* across(reduction const& r, std::byte* v) {
    if (has_registers(r)) {
        r.sums.across(v, v);
        return v;
    }
    for (std::int64_t half = r.lanes / 2; half > 0; half /= 2)
        r.combine(v, v + static_cast<std::size_t>(half) * r.combine.bytes, half);
    return v;
}

inline std::byte const* values_of(reduction const& r, partials& p, std::byte const* a, std::byte const* b, std::int64_t n) {
    if (!b) return a;
    r.multiply(p.some, a, b, nullptr, nullptr, n);
    return p.some;
}
inline void add_groups(reduction const& r, partials& p, std::byte const* a, std::byte const* b, std::int64_t n) {
    if (n == 0) return;
    if (has_registers(r) && (r.unroll == 2 || r.unroll == 4)) {
        accumulate const by = b ? (r.unroll == 4 ? r.sums.products_by_four : r.sums.products_by_two)
                                : (r.unroll == 4 ? r.sums.by_four : r.sums.by_two);
        return by(p.sums, a, b, n);
    }
    std::int64_t const together = static_cast<std::int64_t>(r.lanes) * r.unroll,
                       bytes = together * static_cast<std::int64_t>(r.combine.bytes);
    for (; n > 0; n -= together, a += bytes, b = b ? b + bytes : b)
        if (b) r.multiply_add(p.sums, a, b, p.sums, nullptr, together);
        else r.combine(p.sums, a, together);
}
inline void merge(reduction const& r, partials& p) {
    std::int64_t const W = r.lanes, bytes = W * static_cast<std::int64_t>(r.combine.bytes);
    if (r.unroll > 3) r.combine(p.sums + 2 * bytes, p.sums + 3 * bytes, W);
    if (r.unroll > 1) r.combine(p.sums, p.sums + bytes, W);
    if (r.unroll > 2) r.combine(p.sums, p.sums + 2 * bytes, W);
}
inline void end_block(reduction const& r, partials& p) {
    merge(r, p);
    p.cascade.push(r.combine, p.sums);
}

// Adds `count` elements of a row, of which the first is element number `at`, in the order of run_vectors (loops/rows.hpp).
inline void add_row(reduction const& r, partials& p, std::byte const* a, std::byte const* b, std::int64_t at, std::int64_t count,
                    std::int64_t row) {
    combiner const& c = r.combine;
    std::int64_t const W = r.lanes, together = W * r.unroll, block = block_vectors * together,
                       bytes = static_cast<std::int64_t>(c.bytes);
    auto const vectors_to_first = [&](std::int64_t n) {
        if (b && r.lanes == n) r.multiply_add(p.sums, a, b, p.sums, nullptr, n);
        else c(p.sums, values_of(r, p, a, b, n), n);
    };
    while (count > 0) {
        if (at % block == 0) c.clear(p.sums, together);
        std::int64_t const last = std::min(row, at / block * block + block), here = std::min(count, last - at);
        std::int64_t const groups = here / together * together;
        add_groups(r, p, a, b, groups);
        std::int64_t done = groups;
        auto const go = [&](std::int64_t n) { a += n * bytes, b = b ? b + n * bytes : b; };
        go(groups);
        for (; done + W <= here; done += W) vectors_to_first(W), go(W);
        if (done < here) {
            std::int64_t const rest = here - done, lane = row >= W ? W - rest : 0;
            std::byte const* const from = values_of(r, p, a, b, rest);
            std::memmove(p.some + lane * bytes, from, static_cast<std::size_t>(rest * bytes));
            c.clear(p.some, lane);
            c.clear(p.some + (lane + rest) * bytes, W - lane - rest);
            c(p.sums, p.some, W);
            go(rest);
        }
        at += here, count -= here;
        if (at == last) end_block(r, p);
    }
}

} // namespace tx::inline TRACEXPR_TARGET::simd::tiles::detail
