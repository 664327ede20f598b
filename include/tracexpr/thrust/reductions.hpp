// This file runs loops that reduce, as tasks of teams: each result's terms are divided into pieces, whose sums a second pass
// combines. The division depends on the extents alone, so that results are the same from run to run.
#pragma once

#include <tracexpr/thrust/point_loop.hpp>
#include <tracexpr/thrust/teams.hpp>

namespace tx::detail::inline TRACEXPR_DEVICE {

// The threads of a team, and the pieces of a result. Interleaved: a thread takes terms with a stride, so that adjacent threads
// read adjacent terms.
struct reduction_way {
    std::int32_t team = 1;
    std::int64_t pieces = 1;
    bool interleaved = false;
};
// `side_by_side` says that adjacent results have adjacent terms (as in sums of columns, and in short sums over windows).
constexpr reduction_way way_of_reduction(std::int64_t results, std::int64_t units, bool side_by_side, bool teams) {
    constexpr std::int64_t most_units = 1 << 16; // of a thread; it bounds the rounding error
    reduction_way way;
    if (results <= 0 || units <= 1) return way;
    std::int64_t wanted = 1, least = 8;
    if (teams) {
        constexpr std::int64_t threads = 1 << 18, short_row = 8, row_of_warp = 512;
        way.team = side_by_side || units <= short_row ? 1 : units <= row_of_warp ? warp_threads : block_threads;
        wanted = threads / way.team / results;
        way.interleaved = true;
    } else if (side_by_side) { // so few rows at a time stay in the cache until the next column
        constexpr std::int64_t rows = 128, most_pieces = 4096;
        wanted = std::min(units / rows, most_pieces);
    } else {
        constexpr std::int64_t tasks = 1024, enough = 64;
        wanted = results < enough ? (tasks + results - 1) / results : 1;
        least = 4096;
    }
    std::int64_t const most = units / (way.team * least), fewest = units / (way.team * most_units);
    way.pieces = std::max<std::int64_t>({std::min(wanted, most), fewest, 1});
    return way;
}
// Gives the team of the second pass.
constexpr std::int32_t team_to_merge(std::int64_t results, std::int64_t pieces, bool teams) {
    if (!teams || pieces <= 8 || results >= 4096) return 1;
    return pieces <= 256 ? warp_threads : block_threads;
}

// Task i reduces piece i / results of result i % results.
template <class Loop> struct reduce_points {
    using sums_type = simd::point_sums<typename Loop::kernel_type>;
    static constexpr bool is_single = false;
    Loop loop;
    sums_type* partial;        // null where there is one piece
    std::int64_t pieces, each; // each is the number of units of a piece except the last
    simd::split_axis by_results;
    bool narrow_index, interleaved; // narrow_index is that of the tasks

    TRACEXPR_CALLS_HOST
    template <class Team> TRACEXPR_HD void operator()(Team const& team, std::int64_t task) const {
        typename Loop::place at = loop.begin(nullptr);
        std::int64_t const piece = pieces > 1 ? simd::quotient(task, by_results, narrow_index) : 0;
        loop.move(at, task - piece * loop.results, 0, loop.outer);
        sums_type sums;
        sums.reset();
        loop.run_share(at, share(team, piece), sums);
        team.merge(sums);
        if (team.rank() != 0) return;
        if (partial) partial[task] = sums;
        else sums.store(at);
    }

private:
    TRACEXPR_CALLS_HOST
    template <class Team> TRACEXPR_HD simd::point_share share(Team const& team, std::int64_t piece) const {
        std::int64_t const units = loop.units();
        if (interleaved) {
            std::int64_t const first = piece * team.size() + team.rank(), step = pieces * team.size();
            return {first, step, units, first, step};
        }
        bool const last = piece + 1 == pieces;
        return {piece * each, 1, last ? units : (piece + 1) * each, last ? 0 : loop.lanes, 1};
    }
};

template <class Loop> struct merge_pieces {
    using sums_type = simd::point_sums<typename Loop::kernel_type>;
    static constexpr bool is_single = false;
    Loop loop;
    sums_type const* partial;
    std::int64_t pieces;

    TRACEXPR_CALLS_HOST
    template <class Team> TRACEXPR_HD void operator()(Team const& team, std::int64_t result) const {
        constexpr int block = 256;
        sums_type sums;
        sums.reset();
        for (std::int64_t piece = team.rank(); piece < pieces;) {
            sums_type part;
            part.reset();
            for (int k = 0; k < block && piece < pieces; ++k, piece += team.size())
                part.merge(partial[piece * loop.results + result]);
            sums.merge(part);
        }
        team.merge(sums);
        if (team.rank() != 0) return;
        typename Loop::place at = loop.begin(nullptr);
        loop.move(at, result, 0, loop.outer);
        sums.store(at);
    }
};

// Pieces says whether there may be several pieces.
template <bool Pieces, class Queue, class Loop> void run_reduction(Queue& queue, Loop const& loop, reduction_way const& way) {
    if (!Pieces || way.pieces == 1) {
        run_tasks(queue, reduce_points<Loop>{loop, nullptr, 1, 0, {}, true, way.interleaved}, loop.results, {way.team, 0});
    } else if constexpr (Pieces) {
        using sums_type = simd::point_sums<typename Loop::kernel_type>;
        std::int64_t const tasks = loop.results * way.pieces;
        device_block const memory(queue, tasks * static_cast<std::int64_t>(sizeof(sums_type)));
        auto* const partial = reinterpret_cast<sums_type*>(memory.data());
        bool const narrow_index = tasks <= simd::most_narrow_points;
        reduce_points<Loop> const pass{
            loop,         partial,        way.pieces, loop.units() / way.pieces, simd::split_by(loop.results, narrow_index),
            narrow_index, way.interleaved};
        run_tasks(queue, pass, tasks, {way.team, 0});
        run_tasks(queue, merge_pieces<Loop>{loop, partial, way.pieces}, loop.results,
                  {team_to_merge(loop.results, way.pieces, has_teams<Queue>), 0});
    }
}

} // namespace tx::detail::inline TRACEXPR_DEVICE
