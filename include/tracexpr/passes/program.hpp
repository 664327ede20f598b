// This file holds a loop's body as a straight-line program over an iteration space, from which kernels are made.
#pragma once

#include <tracexpr/graph/graph.hpp>

namespace tx::inline TRACEXPR_TARGET {

// `place` reads an index and computes the offset into a table that it points to; `lookup` reads an element of the table from
// there.
enum class role : std::uint8_t { load, index, literal, compute, store, reduce, place, lookup };

// An instruction is one line of a loop's program. Operands are earlier lines of the same loop.
struct instruction {
    tx::role role{};
    op code{};           // for compute and reduce
    dtype type{};        // the type of the value or of what is stored; for place: the type of the indices
    std::int32_t a = -1; // first operand; of load, index, place: the access; of literal: its slot
    std::int32_t b = -1; // second operand; of store, reduce, lookup: the access
    // third operand; of place: the slot of the table's stride (low) and extent (high) along the axis of the indices; of a
    // reduction to the place of an extreme: the line that counts places
    std::int32_t c = -1;
};

// buffer_access says how the position of an element in a buffer (for role::index: an integer) follows from the iteration index.
// All numbers are in elements.
struct buffer_access {
    node_id buffer = node_id::none;
    dtype type{};
    bool stores = false;
    bool in_order = false; // reads or writes an element for each index, in the order of the indices
    bool looks_up = false; // reads indices, or the table from where they point
    std::int64_t offset = 0;
    std::int64_t stride[max_rank]{}; // for each axis of the loop's space
};

struct literal_value {
    dtype type{};
    literal_bits bits{};
};

struct loop_program {
    stretch instructions, accesses, literals;
    std::int32_t inner = -1; // the axis of the space that kernels run along; -1: none
};

template <template <class> class Table> struct program_tables {
    Table<instruction> instructions;
    Table<buffer_access> accesses;
    Table<literal_value> literals;
    Table<loop_program> loops; // in the order of clusters::loops

    template <class F> constexpr auto with_tables(F f) const { return f(instructions, accesses, literals, loops); }
    constexpr program_tables<table_view> view() const { return {instructions, accesses, literals, loops}; }
};
using programs = program_tables<buffer>;
using programs_view = program_tables<table_view>;

} // namespace tx::inline TRACEXPR_TARGET
