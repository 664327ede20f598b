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
    std::int32_t buffer = -1; // -1: no buffer: the values are the loop's own index (iota); of a call's operand: a literal
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
    bool columns = false; // reduces along all inner axes but the last: one result for each column
    // It stores into a buffer that it also reads. An element must not be computed a second time (as the last vector of a row
    // otherwise may, where it reaches back over elements that are done): what it is made of is gone.
    bool overwrites = false;
    // Code is compiled for the loop that the graph shows. With extents that only the run tells it may come out otherwise; then
    // this is false, and general code runs. See backends/loops/static_loop.hpp.
    bool has_known_form = true;
};

struct plan_step {
    node_id call = node_id::none; // where it has no buffer, a lookup that a loop does: only its indices are checked here
    // Of a call: an access for each operand, with its strides in `outer`, and behind them one for each result but the first, of
    // which the buffer may be none. Of a check: the indices'.
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
