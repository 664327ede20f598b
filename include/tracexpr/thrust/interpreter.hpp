// Loops of plans that only the run knows, for a device: their lines lie in its memory, and a thread interprets them for a few
// points at a time. Values of lines lie in slots, a cell for each of the points. Plain structs, passed by value, whose types name
// integers only.
#pragma once

#include <tracexpr/passes/plan_tables.hpp>
#include <tracexpr/thrust/call_points.hpp>
#include <tracexpr/thrust/interpreted_ops.hpp>

namespace tx::detail::inline TRACEXPR_DEVICE {

// A line of a loop. Operands are slots; of load, index and place `a` is the access, of store, reduce and lookup `b`, of place `c`
// the literal with the table's stride and extent, of literal `a` its number. A reduction adds up into slot `to`, now and then
// into slot `c`, and begins with literal `d`; its code is that of the op that combines.
struct alignas(16) interpreted_line {
    tx::role role{};
    op code{};
    dtype type{};
    dtype from{}; // of the operands
    std::int16_t to = -1, a = -1, b = -1, c = -1, d = -1;
};
struct interpreted_access {
    std::int32_t buffer = -1; // none: the values are the loop's own index
    std::int32_t bytes = 0;   // of an element
    std::int64_t offset = 0;  // in elements, as strides are
    std::int64_t stride[max_rank]{};
};
struct interpreted_literal {
    alignas(8) std::byte bytes[32]{};
};

// The axes before `kept` tell results of reductions apart; without reductions all do. First come `once` lines, which are run once
// by a thread, then those of the points, then those that reduce again.
struct interpreted_loop {
    interpreted_line const* lines = nullptr;
    interpreted_access const* accesses = nullptr;
    interpreted_literal const* literals = nullptr;
    std::byte* const* buffers = nullptr;
    std::byte* spilled = nullptr; // memory for the slots of all threads, of loops with many
    int once = 0, body = 0, sums = 0, slots = 0, rank = 0, kept = 0;
    std::int64_t extent[max_rank]{};

    TRACEXPR_HD std::int64_t points(int first, int last) const {
        std::int64_t count = 1;
        for (int axis = first; axis < last; ++axis) count *= extent[axis];
        return count;
    }
};
// What adds up to a result may be cut into pieces, each of which leaves a cell for each line that reduces. Points of a piece are
// neighbours, or those of all pieces alternate.
struct interpreted_pieces {
    std::byte* cells = nullptr;
    std::int64_t count = 1; // of a result
    bool alternate = false;
    bool results_first = false; // neighbouring threads have pieces of other results
};

inline constexpr int points_at_once = 4;
inline constexpr int own_slots = 24;       // of a thread; loops with more have them in the device's memory
inline constexpr int rounds_in_order = 64; // of points at once, which a thread adds up before it adds that to the rest

template <std::uint32_t Types> inline constexpr int slot_bytes = points_at_once * cell_bytes(Types);

// A thread at work on some points of a loop.
template <std::uint32_t Types> struct interpreted_points {
    static constexpr int cell = cell_bytes(Types), slot = slot_bytes<Types>;
    interpreted_line const* lines;
    interpreted_access const* accesses;
    interpreted_literal const* literals;
    std::byte* const* buffers;
    std::byte* slots;
    int rank;
    int count = 0;                                // of points
    std::int64_t index[max_rank][points_at_once]; // of each along each axis

    TRACEXPR_HD interpreted_points(interpreted_loop const& loop, std::byte* memory)
        : lines{loop.lines}, accesses{loop.accesses}, literals{loop.literals}, buffers{loop.buffers}, slots{memory},
          rank{loop.rank} {}

    TRACEXPR_HD std::byte* slot_at(int number) const { return slots + number * slot; }
    TRACEXPR_HD std::int64_t place(interpreted_access const& a, int k) const {
        std::int64_t at = a.offset;
        for (int axis = 0; axis < rank; ++axis) at += index[axis][k] * a.stride[axis];
        return at;
    }
    TRACEXPR_HD std::byte* element(interpreted_access const& a, int k) const { return buffers[a.buffer] + place(a, k) * a.bytes; }
    TRACEXPR_HD void put_literal(int to, int number) const {
        for (int k = 0; k < points_at_once; ++k) copy_bytes(slot_at(to) + k * cell, literals[number].bytes, cell);
    }
    TRACEXPR_HD void load(interpreted_line const& l, interpreted_access const& a) const {
        for (int k = 0; k < count; ++k) copy_bytes(slot_at(l.to) + k * cell, element(a, k), a.bytes);
    }
    TRACEXPR_HD void count_indices(interpreted_line const& l, interpreted_access const& a) const {
        std::byte* const to = slot_at(l.to);
        for (int k = 0; k < count; ++k) *reinterpret_cast<std::int64_t*>(to + k * cell) = place(a, k);
        if (l.type != dtype::int64) run_cast_of<Types, std::int64_t>(l.type, {to, to}, count);
    }
    TRACEXPR_HD void find_places(interpreted_line const& l, interpreted_access const& a) const {
        auto const* const table = reinterpret_cast<std::int64_t const*>(literals[l.c].bytes); // its stride and extent
        for (int k = 0; k < count; ++k) {
            std::int64_t const at = read_index(l.type, element(a, k));
            *reinterpret_cast<std::int64_t*>(slot_at(l.to) + k * cell) = (at < 0 ? at + table[1] : at) * table[0];
        }
    }
    TRACEXPR_HD void look_up(interpreted_line const& l, interpreted_access const& a) const {
        for (int k = 0; k < count; ++k) {
            std::int64_t const from = *reinterpret_cast<std::int64_t const*>(slot_at(l.a) + k * cell);
            copy_bytes(slot_at(l.to) + k * cell, element(a, k) + from * a.bytes, a.bytes);
        }
    }
    TRACEXPR_HD void choose(interpreted_line const& l) const {
        for (int k = 0; k < count; ++k) {
            bool const truth = *reinterpret_cast<bool const*>(slot_at(l.a) + k * cell);
            copy_bytes(slot_at(l.to) + k * cell, slot_at(truth ? l.b : l.c) + k * cell, cell);
        }
    }
    TRACEXPR_HD void compute(interpreted_line const& l) const {
        if (l.code == op::where) return choose(l);
        interpret_op<Types>(l.code, l.from, l.type,
                            {slot_at(l.to), slot_at(l.a), slot_at(l.b < 0 ? l.a : l.b), slot_at(l.c < 0 ? l.a : l.c)}, count);
    }
    TRACEXPR_HD void store(interpreted_line const& l, interpreted_access const& a) const {
        for (int k = 0; k < count; ++k) copy_bytes(element(a, k), slot_at(l.a) + k * cell, a.bytes);
    }
    TRACEXPR_HD void run(interpreted_line const& l) const {
        switch (l.role) {
        case role::literal: return put_literal(l.to, l.a);
        case role::load: return load(l, accesses[l.a]);
        case role::index: return count_indices(l, accesses[l.a]);
        case role::place: return find_places(l, accesses[l.a]);
        case role::lookup: return look_up(l, accesses[l.b]);
        case role::compute: return compute(l);
        case role::store: return store(l, accesses[l.b]);
        case role::reduce: return combine_cells<Types>(l.code, l.type, slot_at(l.to), slot_at(l.a), count);
        }
    }
    // Of all that a thread does: the code for it is there once.
    TRACEXPR_HD TRACEXPR_NOINLINE void run(int first, int end) const {
        for (int l = first; l < end; ++l) {
            interpreted_line const line = lines[l];
            run(line);
        }
    }
};

// The index along axes first .. last - 1, the last of which varies fastest, of point k of those that a thread is at.
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

// For thrust::for_each: what one of `threads` threads computes of a loop. Of one that reduces, whole results, or pieces of what
// adds up to them: `terms` a result. Sums are made of sums of a few terms, so that few of them are rounded against a large one.
template <std::uint32_t Types> struct interpret_loop {
    interpreted_loop loop;
    interpreted_pieces pieces;
    std::int64_t results, terms, threads;

    TRACEXPR_HD void operator()(std::int64_t thread) const {
        alignas(16) std::byte own[own_slots * slot_bytes<Types>];
        interpreted_points<Types> at(loop, loop.spilled ? loop.spilled + thread * loop.slots * slot_bytes<Types> : own);
        at.run(0, loop.once);
        if (loop.sums == 0) return run_points(at, thread);
        for (std::int64_t number = thread; number < results * pieces.count; number += threads) {
            std::int64_t const result = pieces.results_first ? number % results : number / pieces.count;
            std::int64_t const piece = pieces.results_first ? number / results : number % pieces.count;
            for (int k = 0; k < points_at_once; ++k) move(at, loop, k, result, 0, loop.kept);
            add_up(at, piece);
            put(at, result, piece);
        }
    }

private:
    static constexpr int cell = cell_bytes(Types);

    TRACEXPR_HD void run_body(interpreted_points<Types> const& at) const { at.run(loop.once, loop.once + loop.body); }
    TRACEXPR_HD interpreted_line const& sum(int number) const { return loop.lines[loop.once + loop.body + number]; }
    TRACEXPR_HD void run_points(interpreted_points<Types>& at, std::int64_t thread) const {
        for (std::int64_t first = thread; first < results; first += points_at_once * threads) {
            at.count = 0;
            for (std::int64_t point = first; point < results && at.count < points_at_once; point += threads)
                move(at, loop, at.count++, point, 0, loop.rank);
            run_body(at);
        }
    }
    TRACEXPR_HD void add_up(interpreted_points<Types>& at, std::int64_t piece) const {
        std::int64_t const length = (terms + pieces.count - 1) / pieces.count;
        std::int64_t const step = pieces.alternate ? pieces.count : 1;
        std::int64_t next = pieces.alternate ? piece : piece * length;
        std::int64_t const end = pieces.alternate ? terms : next + length < terms ? next + length : terms;
        for (int s = 0; s < loop.sums; ++s) at.put_literal(sum(s).to, sum(s).d), at.put_literal(sum(s).c, sum(s).d);
        for (int rounds = 1; next < end; ++rounds) {
            at.count = 0;
            for (; next < end && at.count < points_at_once; next += step) move(at, loop, at.count++, next, loop.kept, loop.rank);
            run_body(at);
            if (rounds % rounds_in_order == 0 || next >= end) add_block(at);
        }
    }
    TRACEXPR_HD void add_block(interpreted_points<Types> const& at) const {
        for (int s = 0; s < loop.sums; ++s) {
            combine_cells<Types>(sum(s).code, sum(s).type, at.slot_at(sum(s).c), at.slot_at(sum(s).to), points_at_once);
            at.put_literal(sum(s).to, sum(s).d);
        }
    }
    TRACEXPR_HD void put(interpreted_points<Types>& at, std::int64_t result, std::int64_t piece) const {
        begin(at, loop.kept, loop.rank);
        for (int s = 0; s < loop.sums; ++s) {
            std::byte* const all = at.slot_at(sum(s).c);
            for (int k = 1; k < points_at_once; ++k) combine_cells<Types>(sum(s).code, sum(s).type, all, all + k * cell, 1);
            if (pieces.cells) copy_bytes(pieces.cells + ((s * results + result) * pieces.count + piece) * cell, all, cell);
            else copy_bytes(at.element(loop.accesses[sum(s).b], 0), all, loop.accesses[sum(s).b].bytes);
        }
    }
};

// Puts pieces together, some of a result at a time: into fewer pieces, or into the result.
template <std::uint32_t Types> struct merge_interpreted {
    interpreted_loop loop;
    std::byte const* from;
    std::byte* to; // null: the results
    std::int64_t results, before, after;

    TRACEXPR_HD void operator()(std::int64_t number) const {
        constexpr int cell = cell_bytes(Types);
        alignas(16) std::byte total[cell];
        interpreted_points<Types> at(loop, nullptr);
        std::int64_t const result = number / after, piece = number % after;
        move(at, loop, 0, result, 0, loop.kept), begin(at, loop.kept, loop.rank);
        std::int64_t const length = (before + after - 1) / after, first = piece * length;
        for (int s = 0; s < loop.sums; ++s) {
            interpreted_line const& sum = loop.lines[loop.once + loop.body + s];
            std::byte const* const mine = from + (s * results + result) * before * cell;
            copy_bytes(total, loop.literals[sum.d].bytes, cell);
            for (std::int64_t i = first; i < first + length && i < before; ++i)
                combine_cells<Types>(sum.code, sum.type, total, mine + i * cell, 1);
            if (to) copy_bytes(to + ((s * results + result) * after + piece) * cell, total, cell);
            else copy_bytes(at.element(loop.accesses[sum.b], 0), total, loop.accesses[sum.b].bytes);
        }
    }
};

} // namespace tx::detail::inline TRACEXPR_DEVICE
