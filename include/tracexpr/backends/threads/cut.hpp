// This file decides where a step of a plan is cut into pieces for several threads. Pieces don't depend on each other, every
// element is computed as one thread would compute it, and sums are cut where the cascade combines partial sums anyway, so that
// results are the same for any number of threads.
#pragma once

#include <tracexpr/backends/threads/thread_pool.hpp>
#include <tracexpr/passes/strategies.hpp>
#include <tracexpr/passes/target.hpp>

#include <algorithm>
#include <bit>

namespace tx::inline TRACEXPR_TARGET::simd::detail {

using tx::detail::thread_pool, tx::detail::threads_here;

// A cut is at multiples of `unit` along one of the step's outer axes, or one of its loop's inner axes. If pieces is 1 there is no
// cut.
struct cut {
    bool outer = false;
    int axis = 0;
    std::int64_t extent = 0, unit = 1, pieces = 1;

    std::int64_t begin(std::int64_t piece) const { return piece == pieces ? extent : extent / unit * piece / pieces * unit; }
};

// Returns the number of threads that a step is worth; 1 means that one thread should do it.
inline std::int64_t threads_for(plan_step const& s) {
    return std::max<std::int64_t>(std::min<std::int64_t>(threads_here, s.work / this_processor.least_work), 1);
}

// Rows are cut at multiples of this many elements, so that no two threads write to one cache line.
inline constexpr std::int64_t columns_of_cut = 1024;

// Chooses the first axis that is long enough and not reduced. `strip` is the number of columns whose sums are computed side by
// side.
inline cut best_cut(plan_step const& s, plan_view const& p, std::int64_t strip, std::int64_t threads) {
    constexpr std::int64_t tile = 16; // rows
    // Sums of short rows go side by side into vectors, of which only the last may be cut.
    constexpr std::int64_t lanes = 64;
    plan_loop const& first = p.loops[s.loops.first];
    walk const &outer = s.outer, &inner = first.inner;
    bool sums_short_rows = false;
    for (std::size_t l = s.loops.first; l < s.loops.first + s.loops.count; ++l)
        sums_short_rows = sums_short_rows || (p.loops[l].reduces && tx::detail::is_short_sum(p.loops[l]));
    cut best;
    auto const offer = [&](bool is_outer, int axis, std::int64_t unit) {
        std::int64_t const extent = (is_outer ? outer : inner).extent[axis], pieces = std::min(extent / unit, threads);
        if (best.pieces < threads && pieces > best.pieces) best = {is_outer, axis, extent, unit, pieces};
    };
    if (first.tile.lanes >= 0) { // cut at whole tiles
        tx::detail::loop_space const space(outer, first);
        for (int axis = 0; axis < space.rank(); ++axis)
            if (!space.is_reduced(axis))
                offer(axis < outer.rank, axis < outer.rank ? axis : axis - outer.rank, first.tile.step(axis, first.lanes));
        return best;
    }
    for (int axis = 0; axis < outer.rank; ++axis) offer(true, axis, sums_short_rows && axis == outer.rank - 1 ? lanes : 1);
    if (s.loops.count > 1) return best;
    if (!first.reduces)
        for (int axis = 0; axis < inner.rank; ++axis)
            offer(false, axis, axis == inner.rank - 1 ? columns_of_cut : axis == inner.rank - 2 ? tile : 1);
    else if (first.columns) offer(false, inner.rank - 1, strip);
    return best;
}

// Cuts a row of n elements, which is reduced to one, into pieces of 2^k blocks each, so that the cascade combines them as it
// combines blocks on one thread. The last piece has the rest: it is shorter, or longer by less than a block (which may be less
// than a vector).
struct row_pieces {
    std::int64_t n, length = 0, count = 1;

    row_pieces(std::int64_t elements, std::int64_t block, std::int64_t threads) : n{elements} {
        std::int64_t const each = n / block / (2 * threads);
        if (each < 2) return;
        length = block * static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(each)));
        count = n / length + (n % length >= block ? 1 : 0);
    }
    std::int64_t begin(std::int64_t piece) const { return piece * length; }
    std::int64_t extent(std::int64_t piece) const { return piece + 1 == count ? n - begin(piece) : length; }
};

} // namespace tx::inline TRACEXPR_TARGET::simd::detail
