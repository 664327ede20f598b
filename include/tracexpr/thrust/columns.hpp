// This file reduces columns, where the results are adjacent in memory, and so are the terms of adjacent results. A block's warps
// handle rows in turn, and each thread several adjacent columns; several rows are loaded at once to keep memory busy. The types
// of kernels contain integers only.
#pragma once

#include <tracexpr/thrust/planned_points.hpp>
#include <tracexpr/thrust/reductions.hpp>

namespace tx::detail::inline TRACEXPR_DEVICE {

// The bytes of shared memory in which a block's warps combine their sums, for each column of a thread.
template <class Form, std::size_t Loop> inline constexpr int shared_by_columns =
    (block_threads - warp_threads) * static_cast<int>(sizeof(simd::point_sums<simd::detail::loop_kernel<Form, Loop>>));
inline constexpr int most_shared = 16 << 10;

// The adjacent columns that a thread reads at once: 16 bytes of them, where that divides a known number of columns; fewer where
// their sums would exceed shared memory.
template <class Form, std::size_t Loop> inline constexpr int column_lanes = [] {
    int lanes = simd::detail::point_lanes<simd::detail::loop_kernel<Form, Loop>>;
    while (Form::is_static && lanes > 1 && row_length(Form::plan().loops[Loop]) % lanes != 0) lanes /= 2;
    while (lanes > 1 && shared_by_columns<Form, Loop> * lanes > most_shared) lanes /= 2;
    return lanes;
}();
template <class Form, std::size_t Step, std::size_t Loop, int Lanes> using planned_columns =
    simd::point_loop<simd::detail::loop_kernel<Form, Loop>, planned_axes<Form, Loop, Step>, Lanes>;

// Task i reduces block i % column_blocks of the columns over piece i / column_blocks of the rows.
template <class Loop> struct reduce_columns {
    using kernel_type = typename Loop::kernel_type;
    using sums_type = simd::point_sums<kernel_type>;
    using column_sums = simd::lane_sums<kernel_type, Loop::lanes>;
    static constexpr bool is_single = false;
    static constexpr int threads = block_threads, warps = threads / warp_threads, lanes = Loop::lanes;
    static constexpr int rows_at_once = kernel_type::is_long ? 1 : 8;
    Loop loop;
    sums_type* partial; // null where there is one piece
    std::int64_t pieces, column_blocks;

    TRACEXPR_CALLS_HOST
    template <class Team> TRACEXPR_HD void operator()(Team const& team, std::int64_t task) const {
        std::int64_t const piece = task / column_blocks, block = task - piece * column_blocks;
        std::int64_t const each = (loop.points + pieces - 1) / pieces, last = piece * each + each;
        std::int64_t const column = (block * warp_threads + team.rank() % warp_threads) * lanes;
        typename Loop::place at = loop.begin(nullptr);
        column_sums sums;
        sums.reset();
        bool const has_columns = column < loop.results;
        if (has_columns) {
            loop.move(at, column, 0, loop.outer);
            add_rows(at, piece * each + team.rank() / warp_threads, last < loop.points ? last : loop.points, sums);
        }
        team.merge_warps(sums);
        if (team.rank() >= warp_threads || !has_columns) return;
        if (partial)
            for (int lane = 0; lane < lanes; ++lane) partial[piece * loop.results + column + lane] = sums.of[lane];
        else sums.store(at, loop.lane_step);
    }

private:
    // Adds rows up to `last`. Sums of many terms are sums of partial sums, because rounding errors grow with a sum's length. `at`
    // moves from row to row.
    TRACEXPR_CALLS_HOST
    TRACEXPR_HD TRACEXPR_INLINE void add_rows(typename Loop::place at, std::int64_t row, std::int64_t last,
                                              column_sums& sums) const {
        constexpr int times = 64 / rows_at_once;
        advance(at, row);
        while (row < last) {
            column_sums part;
            part.reset();
            int k = 0;
            for (; k < times && row + (rows_at_once - 1) * warps < last; ++k, row += rows_at_once * warps)
                add_some(at, part, std::make_integer_sequence<int, rows_at_once>{});
            for (; k < times && row < last; ++k, row += warps) add_row(at, part);
            sums.merge(part);
        }
    }
    template <int... K> TRACEXPR_HD TRACEXPR_INLINE void add_some(typename Loop::place& at, column_sums& sums,
                                                                  std::integer_sequence<int, K...>) const {
        ((static_cast<void>(K), add_row(at, sums)), ...);
    }
    TRACEXPR_HD TRACEXPR_INLINE void add_row(typename Loop::place& at, column_sums& sums) const {
        typename simd::detail::point_registers<lanes>::template type<kernel_type> r;
        simd::detail::run_point_lines<kernel_type, 0, kernel_type::size>(r, sums, at, {loop.literals, loop.lane_step},
                                                                         std::make_integer_sequence<int, lanes>{});
        advance(at, warps);
    }
    // Moves on by a number of rows; the terms of a result have one axis.
    TRACEXPR_HD TRACEXPR_INLINE void advance(typename Loop::place& at, std::int64_t rows) const {
        for (int a = 0; a < Loop::accesses; ++a) {
            at.at[a] += rows * loop.step[loop.outer][a];
            if constexpr (Loop::counts) at.index[a] += rows * loop.index_step[loop.outer][a];
        }
    }
};

// Do the results' terms have one axis, and are there enough columns that each thread of a warp has some?
constexpr bool has_enough_columns(plan_loop const& l) {
    return l.reduces && l.columns && l.inner.rank == 2 && row_length(l) >= warp_threads;
}

template <class Queue, class Loop> void run_column_reduction(Queue& queue, Loop const& loop) {
    using work = reduce_columns<Loop>;
    constexpr std::int64_t fewest_rows = 64, most_rows = std::int64_t{work::warps} << 16;
    std::int64_t const of_block = std::int64_t{warp_threads} * Loop::lanes, blocks = (loop.results + of_block - 1) / of_block;
    if (blocks == 0) return;
    std::int64_t const wanted = teams_at_once<work>(queue) / blocks, most = loop.points / fewest_rows;
    std::int64_t const pieces = std::max<std::int64_t>({std::min(wanted, most), loop.points / most_rows, 1});
    std::int64_t const bytes =
        pieces > 1 ? pieces * loop.results * static_cast<std::int64_t>(sizeof(typename work::sums_type)) : 0;
    device_block const memory(queue, bytes);
    auto* const partial = reinterpret_cast<typename work::sums_type*>(memory.data());
    run_tasks(queue, work{loop, partial, pieces, blocks}, pieces * blocks, {work::threads, 0});
    if (pieces == 1) return;
    run_tasks(queue, merge_pieces<Loop>{loop, partial, pieces}, loop.results, {team_to_merge(loop.results, pieces, true), 0});
}

template <class Form, std::size_t Step, std::size_t Loop, class Queue>
void run_columns(Queue& queue, plan_view const& p, std::byte* const* buffers) {
    auto const loop_of = [&]<int Lanes>(std::integral_constant<int, Lanes>) {
        using loop_type = planned_columns<Form, Step, Loop, Lanes>;
        return point_loop_maker<loop_type>(p, p.loops[Loop], buffers).split(p.steps[Step].outer, no_row_buffers{});
    };
    constexpr int lanes = column_lanes<Form, Loop>;
    if constexpr (lanes > 1)
        if (auto const loop = loop_of(std::integral_constant<int, lanes>{}); loop.vectorized)
            return run_column_reduction(queue, loop);
    run_column_reduction(queue, loop_of(std::integral_constant<int, 1>{}));
}

} // namespace tx::detail::inline TRACEXPR_DEVICE
