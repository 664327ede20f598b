// This file holds a plan as the tile executor runs it: the routines that follow each other on every tile of a loop, and where
// their operands are. A program is made once for a plan, and may be run any number of times, by several threads at once.
//
// A tile is a block of rows and columns: of a loop's innermost axis, and of the axis around it where rows are short. Values that
// are made in a tile are contiguous in it. A slot is a pointer that routines take: to a tile, to an element that stands for a
// whole row, to a literal, or to memory which has just these elements.
#pragma once

#include <tracexpr/backends/calls/calls.hpp>
#include <tracexpr/backends/loops/moves.hpp>
#include <tracexpr/backends/tiles/block_terms.hpp>
#include <tracexpr/backends/tiles/chains.hpp>
#include <tracexpr/backends/tiles/places.hpp>
#include <tracexpr/backends/tiles/sums.hpp>
#include <tracexpr/passes/pipeline.hpp>

#include <array>
#include <memory>
#include <optional>
#include <vector>

namespace tx::inline TRACEXPR_RUNS::tiles {
struct program;
}

namespace tx::inline TRACEXPR_TARGET::simd::tiles {
using namespace moves;
using tx::tiles::program;

namespace detail {

// How one of a loop's accesses moves, in elements. An access that counts has no bytes.
struct tile_access {
    std::int32_t buffer = -1;
    std::int64_t bytes = 0, offset = 0;
    std::int64_t outer[max_rank]{}, prefix[max_rank]{};
    block_strides strides;
    std::int64_t group = 0; // the step from the first row of a group to that of the next one
};

// An instruction does one of these.
enum class action : std::uint8_t {
    compute,     // runs a routine on the whole tile
    single,      // runs a routine on one element
    spread,      // fills a tile with an element
    spread_rows, // fills each row of a tile with an element of its own
    pack,        // copies memory to a tile
    unpack,      // copies a tile to memory
    stream,      // copies a tile to memory, past the caches
    count,       // writes the indices of the loop
    place,       // converts indices to offsets into a table
    look_up,     // reads elements of a table
    reduce,      // combines a tile with partial results
    chain,       // runs several routines, each of which uses the result of the one before it
};
using place_routine = void (*)(std::byte* out, std::byte const* indices, std::int64_t step, std::int64_t extent, std::int64_t n);

enum class extent_of : std::uint8_t {
    tile,
    rows,    // row by row, because an operand's rows are apart from each other or have one element
    one_row, // one element for each row
};

struct instruction {
    action opcode{};
    std::uint8_t bytes = 0; // bytes of an element that is moved
    std::int16_t access = -1;
    // These are slots; for a reduction or a chain `out` is its number.
    std::int16_t out = 0, a = 0, b = 0, c = 0, d = 0;
    link_forms links{}; // The links of a routine that may be part of a chain.
    dtype type{};       // of the operands
    int ones = 0;       // has a bit for each operand that is one element, or one for each row
    extent_of over = extent_of::tile;
    std::uint8_t operand_bytes[4]{};
    routine run = nullptr;
    place_routine place = nullptr;
    literal_bits table{}; // For `place`: the stride and the extent of the table along the axis of the indices.
};

struct slot {
    enum class kind : std::uint8_t { tile, row, element, literal, access } tag{};
    std::int32_t number = 0; // the number of the tile, row, element, literal or access
};

inline constexpr std::size_t most_links = 48;

inline constexpr std::int16_t place_of_sums = -1; // A link that reduces has this number in place of a slot.

// `chain` is a sequence of routines that run in registers.
struct chain {
    struct planned_link {
        void (*run)() = nullptr;
        std::int16_t slots[4]{};
        int operands = 0;
    };
    std::vector<planned_link> links;
    // Elements at the end that fill no group go through a group which overlaps the one before it, by the links in `last` if the
    // chain ends in a sum, as it must not add elements twice. This needs links that don't overwrite what they read (may_overlap);
    // otherwise these elements go through the routines one by one.
    std::vector<planned_link> last;
    bool may_overlap = false;
    std::vector<instruction> steps;
    chain_routines const* routines = nullptr;
    bool by_rows = false;
    std::optional<instruction> sum, stream; // what uses the last value of the chain
    std::int64_t bytes = 0;                 // of an element

    std::int64_t whole_groups(std::int64_t n) const { return n / routines->group * routines->group; }
};

struct reduction {
    combiner combine;
    sum_routines sums;
    sum_links links;
    routine multiply = nullptr, multiply_add = nullptr; // used if products are added up
    place_routines places;        // Used if the reduction finds places of extremes; its combiner is then unused.
    std::int64_t value_bytes = 0; // bytes of an element whose place is found
    std::int32_t access = -1;     // of the result
    int lanes = 1, unroll = 1;    // as those of a kernel
};

// This is the form of a loop. pointwise: nothing is reduced. rows: all inner axes are reduced, to one result for each position of
// the outer axes. short_rows: several such positions at once are the rows of the tile. columns: all inner axes but the last are
// reduced. blocks: the same, for several positions of the last outer axis, each of which is a row of a tile of results; what is
// reduced is visited one position after the other.
enum class loop_form : std::uint8_t { pointwise, rows, short_rows, columns, blocks };

// terms_of_blocks is a loop over blocks that a single routine runs. The lists of offsets are for the axes from `level` on, for
// `steps` steps along that one.
struct terms_of_blocks {
    block_routine run = nullptr;
    std::int32_t a = -1, b = -1; // The numbers of accesses; b is -1 for a literal, or if there is no second operand.
    int level = 0;
    std::int64_t steps = 1, within = 1; // within: the offsets of one step
    std::vector<std::int64_t> at_a, at_b;
};

struct tile_loop {
    loop_form form{};
    bool is_batched = false; // True if the rows of the tile are positions of the step's last outer axis.
    // If it is not 0, so many rows are positions of the last outer axis, and such groups are positions of the axis around it.
    std::int64_t group = 0;
    walk prefix; // the inner axes around those of a tile
    int inner_rank = 0;
    std::int64_t rows = 1, columns = 1, tile_rows = 1, tile_columns = 1;
    int widest = 1, tile_count = 0, row_count = 0, element_count = 0, levels = 0;
    std::vector<tile_access> accesses;
    std::vector<slot> slots;
    std::vector<instruction> once, each_row, body; // run before the loop, before each row of tiles, and for each tile
    std::vector<reduction> reductions;
    std::vector<chain> chains;
    terms_of_blocks terms;
    std::vector<std::array<std::byte, 32>> literals;

    // The number of sums that are computed side by side.
    std::int64_t sums_of_tile() const { return form == loop_form::blocks ? tile_rows * tile_columns : tile_columns; }
    bool sums_columns() const { return form == loop_form::columns || form == loop_form::blocks; }
    std::int64_t row_bytes() const { return (tile_rows * widest + 63) / 64 * 64; } // with an element for each row
    std::int64_t tile_bytes() const { return (tile_rows * tile_columns * widest + 63) / 64 * 64 + 64; }
};

// Runs an op that is no loop.
using call_routine = void (*)(table_view<call_operand> operands, std::byte* const* results, dims const& extents,
                              table_view<std::int64_t> attributes);

// branch_programs holds the programs of a graph's branches, each of which is made when it is first taken.
class branch_programs;

// row_buffer is a buffer that each position of a nest overwrites.
struct row_buffer {
    std::int32_t number = 0;
    std::int64_t bytes = 0; // of all rows that loops take at once
    std::int64_t outer[max_rank]{};
};

struct tile_step {
    enum class kind : std::uint8_t { loops, call, check, branches, effect, routine } tag{};
    walk outer;
    std::int64_t batch = 0; // The number of positions of the last outer axis that loops take at once; 0: one.
    std::int64_t group = 0; // The number of rows of each of these positions; 0: one.
    std::vector<tile_loop> loops;
    std::vector<row_buffer> row_buffers;
    std::int64_t piece_bytes = 0; // The memory for one piece of a step that threads share; 0 if they don't share it.
    bool streams = false;
    call_routine call = nullptr;
    routine convert = nullptr; // converts indices that are not int64
    std::int64_t index_count = 0;
};

} // namespace detail

} // namespace tx::inline TRACEXPR_TARGET::simd::tiles

namespace tx::inline TRACEXPR_RUNS::tiles {

// `program` is a graph for arguments of known extents, its plan, and the routines that run it.
struct program {
    tx::graph graph;
    tx::plan plan;
    std::vector<simd::tiles::detail::tile_step> steps;
    std::vector<std::vector<std::byte>> constants; // the elements of buffers that are constants
    // In nests that take several rows at once: the place of a buffer of one row, or -1.
    std::vector<std::int64_t> rows_of_buffer;
    // The bytes behind the arena for these rows, and for tiles and slots.
    std::int64_t row_bytes = 0, scratch_bytes = 0;
    std::shared_ptr<simd::tiles::detail::branch_programs> branches;
    bool stops_midway = false; // see passes/stops.hpp

    dims const& output_extents(std::size_t k) const { return plan.extents[index(graph.outputs()[k])]; }
    dtype output_type(std::size_t k) const { return graph[graph.outputs()[k]].type; }
    TRACEXPR_ONCE std::int64_t memory_bytes() const { // on one thread
        return plan.arena_bytes[0] + row_bytes + scratch_bytes + static_cast<std::int64_t>(plan.buffers.size() * sizeof(void*)) +
               256;
    }
};

} // namespace tx::inline TRACEXPR_RUNS::tiles
