// This file holds the part of an interpreted loop, or of a nest of loops, that a thread of a device runs.
#pragma once

#include <tracexpr/thrust/interpreter.hpp>

namespace tx::detail::inline TRACEXPR_DEVICE {

// The terms of a result may be divided into pieces; each piece leaves a cell for each line that reduces. The points of a piece
// are adjacent, or the pieces' points alternate.
struct interpreted_pieces {
    std::byte* cells = nullptr;
    std::int64_t count = 1; // for each result
    bool alternate = false;
    bool results_first = false; // whether adjacent threads have pieces of different results
};

// each of points_at_once points; a thread sums so many before it adds them to its total
inline constexpr int rounds_in_order = 64;
inline constexpr std::int64_t most_terms = 1 << 14; // of a thread's sum, so that rounding errors stay small

// The interpreter's code would use all registers of a thread. This many blocks of a multiprocessor are to run at once, so that
// some threads run while others wait for memory; that leaves 80 registers for each thread.
inline constexpr int interpreting_blocks = 3;

// Sets the index along axes first .. last - 1, the last of which varies fastest, to that of a point; k is the point's number
// among those that the thread handles at once.
template <std::uint32_t Types> TRACEXPR_HD void move(interpreted_points<Types>& at, interpreted_loop const& loop, int k,
                                                     std::int64_t point, int first, int last) {
    for (int axis = last - 1; axis > first; --axis) {
        at.index[axis][k] = calls::divide(point, loop.extent[axis]);
    }
    if (last > first) at.index[first][k] = point;
}
template <std::uint32_t Types> TRACEXPR_HD void begin(interpreted_points<Types>& at, int first, int last) {
    for (int axis = first; axis < last; ++axis) at.index[axis][0] = 0;
}

// A thread's work on some points of a loop. Sums are sums of partial sums, so that few terms are rounded against a large total.
template <std::uint32_t Types> struct interpreted_share {
    static constexpr int cell = cell_bytes(Types);
    interpreted_loop const& loop;
    interpreted_points<Types>& at;

    TRACEXPR_HD void run_body() const { at.run(loop.once, loop.once + loop.body); }
    TRACEXPR_HD interpreted_line const& sum(int number) const { return loop.lines[loop.once + loop.body + number]; }
    TRACEXPR_HD std::byte* total(int number) const { return at.slot_at(sum(number).c); }

    // Runs the points first, first + step ... before `end`; they are numbered along the axes from `axis` on.
    TRACEXPR_HD void run_points(std::int64_t first, std::int64_t end, std::int64_t step, int axis) const {
        for (; first < end; first += points_at_once * step) {
            at.count = 0;
            for (std::int64_t point = first; point < end && at.count < points_at_once; point += step)
                move(at, loop, at.count++, point, axis, loop.rank);
            run_body();
        }
    }
    // Reduces one piece of all terms into each sum's total.
    TRACEXPR_HD void add_up(interpreted_pieces const& pieces, std::int64_t piece, std::int64_t terms) const {
        std::int64_t const length = (terms + pieces.count - 1) / pieces.count;
        std::int64_t const step = pieces.alternate ? pieces.count : 1;
        std::int64_t next = pieces.alternate ? piece : piece * length;
        std::int64_t const end = pieces.alternate ? terms : next + length < terms ? next + length : terms;
        for (int s = 0; s < loop.sums; ++s) at.put_literal(sum(s).to, sum(s).d), at.put_literal(sum(s).c, sum(s).d);
        for (int rounds = 1; next < end; ++rounds) {
            at.count = 0;
            for (; next < end && at.count < points_at_once; next += step)
                move(at, loop, at.count++, next, loop.result_axes, loop.rank);
            run_body();
            if (rounds % rounds_in_order == 0 || next >= end) add_block();
        }
        begin(at, loop.result_axes, loop.rank);
        for (int s = 0; s < loop.sums; ++s)
            for (int k = 1; k < points_at_once; ++k)
                combine_cells<Types>(sum(s).code, sum(s).type, total(s), total(s) + k * cell, 1);
    }
    TRACEXPR_HD void store(int number, std::byte const* value) const {
        interpreted_access const& to = loop.accesses[sum(number).b];
        copy_bytes(at.element(to, 0), value, to.bytes);
    }

private:
    TRACEXPR_HD void add_block() const {
        for (int s = 0; s < loop.sums; ++s) {
            combine_cells<Types>(sum(s).code, sum(s).type, total(s), at.slot_at(sum(s).to), points_at_once);
            at.put_literal(sum(s).to, sum(s).d);
        }
    }
};

// A thread's sum, which its team combines with those of its other threads.
template <std::uint32_t Types> struct interpreted_sum {
    alignas(16) std::byte value[cell_bytes(Types)];
    op by;
    dtype type;
    TRACEXPR_HD void merge(interpreted_sum const& other) { combine_cells<Types>(by, type, value, other.value, 1); }
};

// A task is a row of a nest, whose loops are in the device's memory and are run one after the other by a team. For a loop alone a
// task is the work of one of `all_threads` threads: points or, for a reducing loop, whole results or pieces of them. (One kernel
// serves both, because a GPU's compiler takes ten seconds for the ops.)
template <std::uint32_t Types> struct interpret_loops {
    static constexpr bool is_single = false;
    static constexpr int least_blocks = interpreting_blocks;
    std::byte* const* buffers;
    interpreted_loop const* nest = nullptr; // null for a loop alone
    int count = 0;                          // the number of loops in the nest
    interpreted_loop alone{};
    std::byte* spilled = nullptr; // memory for the slots of all threads, for loops with many slots
    interpreted_pieces pieces{};
    std::int64_t results = 0, terms = 0, all_threads = 0; // terms are those of a result

    template <class Team> TRACEXPR_HD void operator()(Team const& team, std::int64_t task) const {
        alignas(16) std::byte own[own_slots * slot_bytes<Types>];
        if (!nest) return run_alone(task, spilled ? spilled + task * alone.slots * slot_bytes<Types> : own);
        for (int l = 0; l < count; ++l) {
            interpreted_points<Types> at(nest[l], buffers, own, team.memory);
            run_row(team, task, {nest[l], at});
            team.wait();
        }
    }

private:
    TRACEXPR_HD void run_alone(std::int64_t thread, std::byte* slots) const {
        interpreted_points<Types> at(alone, buffers, slots);
        interpreted_share<Types> const share{alone, at};
        at.run(0, alone.once);
        if (alone.sums == 0) return share.run_points(thread, results, all_threads, 0);
        for (std::int64_t number = thread; number < results * pieces.count; number += all_threads) {
            std::int64_t const result = pieces.results_first ? number % results : number / pieces.count;
            std::int64_t const piece = pieces.results_first ? number / results : number % pieces.count;
            for (int k = 0; k < points_at_once; ++k) move(at, alone, k, result, 0, alone.result_axes);
            share.add_up(pieces, piece, terms);
            for (int s = 0; s < alone.sums; ++s) {
                if (!pieces.cells) share.store(s, share.total(s));
                else copy_bytes(cell_of(s, result, piece), share.total(s), cell_bytes(Types));
            }
        }
    }
    TRACEXPR_HD std::byte* cell_of(std::int64_t sum, std::int64_t result, std::int64_t piece) const {
        return pieces.cells + ((sum * results + result) * pieces.count + piece) * cell_bytes(Types);
    }
    template <class Team>
    TRACEXPR_HD void run_row(Team const& team, std::int64_t row, interpreted_share<Types> const& share) const {
        interpreted_loop const& loop = share.loop;
        std::int64_t const points = loop.points(loop.result_axes, loop.rank);
        share.at.run(0, loop.once);
        for (int k = 0; k < points_at_once; ++k) move(share.at, loop, k, row, 0, loop.result_axes);
        if (loop.sums == 0) return share.run_points(team.rank(), points, team.size(), loop.result_axes);
        share.add_up({nullptr, team.size(), true, false}, team.rank(), points);
        for (int s = 0; s < loop.sums; ++s) {
            interpreted_sum<Types> all{{}, share.sum(s).code, share.sum(s).type};
            copy_bytes(all.value, share.total(s), cell_bytes(Types));
            team.merge(all);
            if (team.rank() == 0) share.store(s, all.value);
        }
    }
};

// Combines pieces, several of a result at a time: into fewer pieces, or into the result.
template <std::uint32_t Types> struct merge_interpreted {
    static constexpr bool is_single = true;
    static constexpr int least_blocks = interpreting_blocks;
    interpreted_loop loop;
    std::byte* const* buffers;
    std::byte const* from;
    std::byte* to; // null when results are written
    std::int64_t results, before, after;

    template <class Team> TRACEXPR_HD void operator()(Team const&, std::int64_t number) const {
        constexpr int cell = cell_bytes(Types);
        alignas(16) std::byte total[cell];
        interpreted_points<Types> at(loop, buffers, nullptr);
        interpreted_share<Types> const share{loop, at};
        std::int64_t const result = number / after, piece = number % after;
        move(at, loop, 0, result, 0, loop.result_axes), begin(at, loop.result_axes, loop.rank);
        std::int64_t const length = (before + after - 1) / after, first = piece * length;
        for (int s = 0; s < loop.sums; ++s) {
            interpreted_line const& sum = share.sum(s);
            std::byte const* const mine = from + (s * results + result) * before * cell;
            copy_bytes(total, loop.literals[sum.d].bytes, cell);
            for (std::int64_t i = first; i < first + length && i < before; ++i)
                combine_cells<Types>(sum.code, sum.type, total, mine + i * cell, 1);
            if (to) copy_bytes(to + ((s * results + result) * after + piece) * cell, total, cell);
            else share.store(s, total);
        }
    }
};

} // namespace tx::detail::inline TRACEXPR_DEVICE
