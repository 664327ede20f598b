// What an executor follows: steps in order, each a set of loops under common outer axes or one call; where every buffer lies; how
// every access walks through its buffer. Everything a run needs but the pointers.
#pragma once

#include <tracexpr/passes/encode.hpp>

namespace tx::inline TRACEXPR_TARGET {

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

// How a step runs. An executor has a piece of code for each way; see backends/run_as.hpp.
enum class strategy : std::uint8_t {
    // calls
    any_call,
    check_indices,  // of a lookup in a loop
    branches,       // of which one is taken
    blocks,         // of places, one after the other
    effect,         // done besides computing
    routine,        // by a kernel that stands in a table
    small_product,  // of matrices whose products of vectors are all written out
    small_products, // the same for each of many examples
    small_update,   // additions to a few elements, or setting them, one by one
    small_join,     // parts of a few elements, which are copied by instructions of that size
    // one loop
    epilogue,      // on the vectors that the product, or the tile, before it leaves in registers
    known_row,     // one row of a known length, that needs no loop or a simple one
    open_row,      // one row
    short_rows,    // each reduced, of a known length that needs no cascade
    packed_rows,   // about as short as a vector: many are run as one
    register_tile, // many results of a reduction side by side in registers
    rows,          // one after the other
    columns,       // reduced side by side
    tiles,         // rows whose loads go through a tile that is transposed
    // several loops
    nest, // one after the other on each row
    // of plans made at run time
    strided, // otherwise than the compiler took them for, where no tiles do it
};

// What is known of a loop's rows; what can't happen is not compiled.
struct row_facts {
    bool wide = false;        // they have at least a vector
    bool cached = false;      // the loop stores too little to do so past the caches
    bool overwritten = false; // it stores over what it reads: no element may be computed twice
    std::uint64_t still = 0;  // of a loop over columns: a bit for each access that all rows have in common
    bool rounds = true;       // some of their vectors run side by side, as many as the kernel runs so
    bool rest = true;         // and vectors are left over; neither: they are shorter than one

    constexpr row_facts of_cut() const { return {.overwritten = overwritten}; } // of pieces of any length
};

// Axes of a loop that reduces, counted over the outer ones and its own, that have copies of its registers; see register_tile.hpp.
struct register_tile {
    int lanes = -1, copied = -1; // the axis of the vectors; another, or none
    int along = 1, copies = 1;   // vectors side by side along the first, places of the second

    // How far a pass goes along an axis, in vectors of so many lanes.
    constexpr std::int64_t step(int axis, std::int64_t of_lanes) const {
        return axis == lanes ? along * of_lanes : axis == copied ? copies : 1;
    }
};

struct plan_loop {
    stretch lines, accesses, literals;
    walk inner;
    bool reduces = false;
    bool columns = false; // reduces along all inner axes but the last: one result for each column
    bool streams = false; // stores past the caches; a run asks for its own extents
    strategy kept{};      // of a plan made at run time, in a step's first loop: which strategy fits its numbers
    row_facts rows;
    register_tile tile;            // of the strategy register_tile
    std::int32_t lanes = 1;        // of a vector
    std::int64_t known_length = 0; // of rows of known_row, short_rows and, where it is not 0, in a nest
};

// May threads share a step? Each takes a piece of an axis; of a row that is reduced whole, some blocks of the sum.
enum class sharing : std::uint8_t { none, pieces, total };

struct plan_step {
    tx::strategy strategy = strategy::any_call;
    tx::strategy otherwise = strategy::any_call; // where the numbers of a run, or of a thread's piece, don't fit the strategy
    tx::sharing sharing = sharing::none;
    std::int32_t epilogue = -1;   // of small_product: which access of the next step's loop reads the product, if that is its
                                  // epilogue; of register_tile: 0 where it is
    std::int64_t work = 0;        // instructions on elements, of loops
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

} // namespace tx::inline TRACEXPR_TARGET

namespace tx::detail::inline TRACEXPR_TARGET {

// Do loops find places of extremes?
constexpr bool finds_places(plan_view const& p, stretch const& loops) {
    for (std::size_t l = loops.first; l < loops.first + loops.count; ++l)
        for (std::size_t k = p.loops[l].lines.first; k < p.loops[l].lines.first + p.loops[l].lines.count; ++k)
            if (finds_place(p.lines[k])) return true;
    return false;
}

} // namespace tx::detail::inline TRACEXPR_TARGET
