// This file holds the tables of a plan, which an executor follows: steps in order, each a set of loops under common outer axes or
// one call; where every buffer lies; how every access walks through its buffer. They hold everything a run needs except pointers.
#pragma once

#include <tracexpr/passes/encode.hpp>

namespace tx::inline TRACEXPR_TARGET {

// A walk holds the extents of a loop nest's axes, outermost first.
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
    // -1: there is no buffer. The values are then the loop's own index (iota), or, for a call's operand, a literal.
    std::int32_t buffer = -1;
    dtype type{};
    bool stores = false;
    access_mode mode{};      // along the innermost axis
    std::int64_t offset = 0; // in elements, as all strides are
    std::int64_t outer[max_rank]{};
    std::int64_t inner[max_rank]{};
};

// strategy says how a step runs. An executor has a piece of code for each strategy; see backends/run_as.hpp.
enum class strategy : std::uint8_t {
    // These are the strategies of calls:
    any_call,
    check_indices,  // the call checks the indices of a lookup in a loop
    branches,       // one of the branches is taken
    blocks,         // blocks of indices run one after the other
    effect,         // a side effect
    routine,        // the call runs by a kernel that is registered in a table
    small_product,  // a product of matrices which is fully unrolled into products of vectors
    small_products, // a small_product for each of many examples
    small_update,   // a few elements are added to or set one by one
    small_join,     // parts of a few elements are copied by instructions of that size
    // These are the strategies of a single loop:
    epilogue,      // runs on the vectors that the product, or the tile, before it leaves in registers
    known_row,     // one row of a known length, which needs at most a simple loop
    open_row,      // one row of any length
    short_rows,    // rows of a known length, each reduced without a cascade of sums
    packed_rows,   // rows about as short as a vector: many run as one
    register_tile, // many results of a reduction are computed side by side in registers
    rows,          // rows run one after the other
    columns,       // columns are reduced side by side
    tiles,         // rows whose loads go through a tile that is transposed
    // This is the strategy of several loops:
    nest, // the loops run one after the other on each row
    // This is the strategy of plans made at run time:
    strided, // accesses have other strides than the compiler assumed, and there are no precompiled tiles
};

// row_facts says what is known of a loop's rows; code for cases that can't happen is not compiled.
struct row_facts {
    bool wide = false;        // each row has at least a vector
    bool cached = false;      // the loop stores so little that its stores stay in the caches
    bool overwritten = false; // the loop overwrites what it reads, so no element may be computed twice
    std::uint64_t still = 0;  // in a loop over columns: a bit for each access that reads the same elements for all rows
    bool rounds = true;       // some vectors of a row run side by side, as many as the kernel unrolls
    bool rest = true;         // and vectors are left over; if neither holds, a row is shorter than a vector

    constexpr row_facts of_cut() const { return {.overwritten = overwritten}; } // for pieces of any length
};

// register_tile names the axes of a reducing loop along which several results are held in registers; axes are counted over the
// outer ones and the loop's own; see register_tile.hpp.
struct register_tile {
    int lanes = -1, copied = -1; // the axis of the vectors; another axis, or none
    int along = 1, copies = 1;   // vectors side by side along the first, indices of the second

    // Returns how far one pass goes along an axis, for vectors of `of_lanes` lanes.
    constexpr std::int64_t step(int axis, std::int64_t of_lanes) const {
        return axis == lanes ? along * of_lanes : axis == copied ? copies : 1;
    }
};

struct plan_loop {
    stretch lines, accesses, literals;
    walk inner;
    bool reduces = false;
    bool columns = false; // reduces along all inner axes but the last: one result for each column
    bool streams = false; // stores bypass the caches; a run decides by its own extents
    strategy kept{};      // in a plan made at run time, for a step's first loop: the strategy that fits its numbers
    row_facts rows;
    register_tile tile;            // for the strategy register_tile
    std::int32_t lanes = 1;        // lanes of a vector
    std::int64_t known_length = 0; // the length of the rows of known_row, short_rows and, if it is not 0, of a nest
};

// sharing says how threads may share a step: not at all; each takes a piece of an axis (`pieces`); or each takes some blocks of a
// sum over all elements (`total`).
enum class sharing : std::uint8_t { none, pieces, total };

struct plan_step {
    tx::strategy strategy = strategy::any_call;
    tx::strategy otherwise = strategy::any_call; // used if the numbers of a run, or of a thread's piece, don't fit the strategy
    tx::sharing sharing = sharing::none;
    // If the next step's loop is this step's epilogue: for small_product the loop's access that reads the product, for
    // register_tile 0; else -1.
    std::int32_t epilogue = -1;
    std::int64_t work = 0;        // instructions on elements, in all loops
    node_id call = node_id::none; // without a buffer: a lookup within a loop, of which the call only checks the indices
    // A call has an access for each operand, with its strides in `outer`, and behind them one for each result but the first
    // (without a buffer if nothing needs it). A check has one access, of the indices.
    stretch operands;
    stretch loops;
    walk outer;
};

enum class buffer_place : std::uint8_t { argument, capture, constant, output, arena };
struct plan_buffer {
    buffer_place place{};
    std::int32_t number = 0; // which argument, capture or output it is; for a constant: its first word
    std::int64_t offset = 0; // in the arena, bytes
    std::int64_t bytes = 0;
    node_id node = node_id::none;
};
// An output_copy is made for an output that another buffer already holds: a parameter that is returned, or a value that is
// returned twice.
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
    Table<std::int32_t> buffer_of; // for each node; -1 if it has none
    Table<dims> extents;           // extents of each node
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

// Does one of the loops find the place of an extreme?
constexpr bool finds_places(plan_view const& p, stretch const& loops) {
    for (std::size_t l = loops.first; l < loops.first + loops.count; ++l)
        for (std::size_t k = p.loops[l].lines.first; k < p.loops[l].lines.first + p.loops[l].lines.count; ++k)
            if (finds_place(p.lines[k])) return true;
    return false;
}

} // namespace tx::detail::inline TRACEXPR_TARGET
