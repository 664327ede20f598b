// This file interprets loops that only the run knows on a device: their lines are in its memory, and a thread interprets them for
// several points at a time. The values of a line are in a slot, with a cell for each of the points. All are plain structs, passed
// by value, whose types contain integers only.
#pragma once

#include <tracexpr/passes/plan_tables.hpp>
#include <tracexpr/thrust/call_points.hpp>
#include <tracexpr/thrust/interpreted_ops.hpp>

namespace tx::detail::inline TRACEXPR_DEVICE {

// A line of a loop. For compute, operands a, b and c are slots. For load, index and place `a` is the access; for store, reduce
// and lookup `a` is a slot and `b` the access; for place `c` is the literal with the table's stride and extent; for literal `a`
// is its number. A reduction accumulates in slot `to`, from time to time adds that to slot `c`, and begins with literal `d`; its
// code is that of the op that combines.
struct alignas(16) interpreted_line {
    tx::role role{};
    op code{};
    dtype type{};
    dtype from{}; // the operands' dtype
    std::int16_t to = -1, a = -1, b = -1, c = -1, d = -1;
};
struct interpreted_access {
    std::int32_t buffer = -1;  // negative for an access whose values are the loop's own index
    std::int32_t bytes = 0;    // of an element
    std::int64_t in_team = -1; // where not negative, the buffer's offset in the memory of the team that computes the row
    std::int64_t offset = 0;   // in elements, as strides are
    std::int64_t stride[max_rank]{};
};
struct interpreted_literal {
    alignas(8) std::byte bytes[32]{};
};

// The axes before `result_axes` are those of results of reductions, or of the rows of a nest; other loops have all axes there.
// The lines are first `once` lines, which a thread runs once, then those of the points, then those of the reductions again.
struct interpreted_loop {
    interpreted_line const* lines = nullptr;
    interpreted_access const* accesses = nullptr;
    interpreted_literal const* literals = nullptr;
    int once = 0, body = 0, sums = 0, slots = 0, rank = 0, result_axes = 0;
    std::int64_t extent[max_rank]{};

    TRACEXPR_HD std::int64_t points(int first, int last) const {
        std::int64_t count = 1;
        for (int axis = first; axis < last; ++axis) count *= extent[axis];
        return count;
    }
};
inline constexpr int points_at_once = 4;
inline constexpr int own_slots = 24; // slots in a thread's own memory; loops with more have all of theirs in the device's memory

template <std::uint32_t Types> inline constexpr int slot_bytes = points_at_once * cell_bytes(Types);

// The state of a thread that works on several points of a loop.
template <std::uint32_t Types> struct interpreted_points {
    static constexpr int cell = cell_bytes(Types), slot = slot_bytes<Types>;
    interpreted_line const* lines;
    interpreted_access const* accesses;
    interpreted_literal const* literals;
    std::byte* const* buffers;
    std::byte *slots, *of_team; // of_team is the memory of the team that computes a row
    int rank;
    int count = 0;                                // the number of points
    std::int64_t index[max_rank][points_at_once]; // the index of each point along each axis

    TRACEXPR_HD interpreted_points(interpreted_loop const& loop, std::byte* const* at, std::byte* cells, std::byte* row = nullptr)
        : lines{loop.lines}, accesses{loop.accesses}, literals{loop.literals}, buffers{at}, slots{cells}, of_team{row},
          rank{loop.rank} {}

    TRACEXPR_HD std::byte* slot_at(int number) const { return slots + number * slot; }
    TRACEXPR_HD std::int64_t place(interpreted_access const& a, int k) const {
        std::int64_t at = a.offset;
        for (int axis = 0; axis < rank; ++axis) at += index[axis][k] * a.stride[axis];
        return at;
    }
    TRACEXPR_HD std::byte* element(interpreted_access const& a, int k) const {
        return (a.in_team < 0 ? buffers[a.buffer] : of_team + a.in_team) + place(a, k) * a.bytes;
    }
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
        auto const* const table = reinterpret_cast<std::int64_t const*>(literals[l.c].bytes); // the table's stride and extent
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
    // Runs lines first .. end - 1. It is not inlined, so that its code exists once.
    TRACEXPR_HD TRACEXPR_NOINLINE void run(int first, int end) const {
        for (int l = first; l < end; ++l) {
            interpreted_line const line = lines[l];
            run(line);
        }
    }
};

} // namespace tx::detail::inline TRACEXPR_DEVICE
