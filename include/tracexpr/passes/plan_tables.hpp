// What an executor follows: steps in order, each a set of loops under common outer axes or one call; where every buffer lies; how
// every access walks through its buffer. Everything a run needs but the pointers.
#pragma once

#include <tracexpr/passes/encode.hpp>

namespace tx::inline TRACEXPR_PROCESSOR {

// Axes of iteration, outermost first.
struct walk {
    std::int32_t rank = 0;
    std::int64_t extent[max_rank]{};
    constexpr std::int64_t size() const {
        std::int64_t count = 1;
        for (int axis = 0; axis < rank; ++axis) count *= extent[axis];
        return count;
    }
};

struct plan_access {
    std::int32_t buffer = -1; // -1: counts; of a call's operand: a literal
    dtype type{};
    bool stores = false;
    access_mode mode{};      // along the innermost axis
    std::int64_t offset = 0; // all in elements
    std::int64_t outer[max_rank]{};
    std::int64_t inner[max_rank]{};
};

struct plan_loop {
    stretch lines, accesses, literals;
    walk inner;
    bool reduces = false;
    bool columns = false;    // reduces along all inner axes but the last
    bool overwrites = false; // stores elements where it has just read others: each must be computed once
    bool has_known_form =
        true; // of a plan made at run time: is the loop what the compiler took it for? See backends/loops/static_loop.hpp
};

struct plan_step {
    node_id call = node_id::none; // without a buffer: a lookup in a loop, whose indices are checked
    // Of a call: an access for each operand, with its strides along the operand's axes as `outer`, and behind them one for each
    // result but the first, of which the buffer may be none. Of a check: of the indices.
    stretch operands;
    stretch loops;
    walk outer;
};

enum class buffer_place : std::uint8_t { argument, capture, constant, output, arena };
struct plan_buffer {
    buffer_place place{};
    std::int32_t number = 0; // of the argument, capture or output; where the constant's words begin
    std::int64_t offset = 0; // in the arena, bytes
    std::int64_t bytes = 0;
    node_id node = node_id::none;
};
// An output that another buffer holds already: a parameter handed through, or a value returned twice.
struct output_copy {
    std::int32_t from = 0, to = 0;
};

template <template <class> class Table> struct plan_tables {
    Table<kernel_line> lines;
    Table<plan_access> accesses;
    Table<literal_value> literals;
    Table<plan_loop> loops;
    Table<plan_step> steps;
    Table<plan_buffer> buffers;
    Table<std::int32_t> buffer_of; // of each node; -1
    Table<dims> extents;           // of each node
    Table<output_copy> copies;
    Table<std::int64_t> arena_bytes; // one entry

    template <class F> constexpr auto with_tables(F f) const {
        return f(lines, accesses, literals, loops, steps, buffers, buffer_of, extents, copies, arena_bytes);
    }
    constexpr plan_tables<table_view> view() const {
        return {lines, accesses, literals, loops, steps, buffers, buffer_of, extents, copies, arena_bytes};
    }
};
using plan = plan_tables<buffer>;
using plan_view = plan_tables<table_view>;

} // namespace tx::inline TRACEXPR_PROCESSOR
