// A plan as the tile executor runs it: which routines follow each other on every tile of a loop, and where their operands lie.
// Made once for a plan, run as often as one likes, by several threads at once.
//
// A tile is a block of rows and columns: of a loop's innermost axis, and of the axis around it where rows are short. Values that
// are made in a tile lie in it one after the other. A slot is a pointer that routines take: to a tile, to an element that stands
// for all of a row, to a literal, or to where memory has just these elements.
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

// How one of a loop's accesses walks, in elements; what counts has no bytes.
struct tile_access {
    std::int32_t buffer = -1;
    std::int64_t bytes = 0, offset = 0;
    std::int64_t outer[max_rank]{}, prefix[max_rank]{};
    block_strides strides;
    std::int64_t group = 0; // from the first row of a group to that of the next
};

enum class action : std::uint8_t {
    compute,     // a routine on the whole tile
    single,      // a routine on one element
    spread,      // an element all over a tile
    spread_rows, // an element of each row all over it
    pack,        // memory to a tile
    unpack,      // a tile to memory
    stream,      // a tile to memory, past the caches
    count,       // the indices of the loop
    place,       // indices to how far into a table they point
    look_up,     // elements of a table
    reduce,      // a tile into partial results
    chain,       // several routines, of which each takes what the one before it made
};
using place_routine = void (*)(std::byte* out, std::byte const* indices, std::int64_t step, std::int64_t extent, std::int64_t n);

enum class extent_of : std::uint8_t {
    tile,
    rows,    // a tile row by row, as rows of operands don't follow each other or have one element
    one_row, // an element for each row
};

struct instruction {
    action what{};
    std::uint8_t bytes = 0; // of an element that is moved
    std::int16_t access = -1;
    std::int16_t out = 0, a = 0, b = 0, c = 0, d = 0; // slots; of a reduction or a chain `out` is its number
    link_forms links{};                               // of a routine that may be one of a chain
    dtype type{};                                     // of its operands
    int ones = 0;                                     // a bit for each operand that is one element, or one of each row
    extent_of over = extent_of::tile;
    std::uint8_t operand_bytes[4]{};
    routine run = nullptr;
    place_routine place = nullptr;
    literal_bits table{}; // of place: the stride and extent along the axis of the indices
};

struct slot {
    enum class kind : std::uint8_t { tile, row, element, literal, access } what{};
    std::int32_t number = 0; // of the tile, row, element, literal or access
};

inline constexpr std::size_t most_links = 48;

inline constexpr std::int16_t place_of_sums = -1; // for a slot, of a link that reduces

// Routines that follow each other in registers.
struct chain {
    struct planned_link {
        void (*run)() = nullptr;
        std::int16_t slots[4]{};
        int operands = 0;
    };
    std::vector<planned_link> links;
    // What fills no group of vectors goes through a group that ends with the row: `last` where sums are what the chain makes, as
    // it does elements twice. It may where links don't write over what they read; else it goes through the routines.
    std::vector<planned_link> last;
    bool may_overlap = false;
    std::vector<instruction> steps;
    chain_routines const* routines = nullptr;
    bool by_rows = false;
    std::optional<instruction> sum, stream; // of what the last one makes
    std::int64_t bytes = 0;                 // of an element

    std::int64_t whole_groups(std::int64_t n) const { return n / routines->group * routines->group; }
};

struct reduction {
    combiner combine;
    sum_routines sums;
    sum_links links;
    routine multiply = nullptr, multiply_add = nullptr; // where what is added up are products
    place_routines places;                              // where it finds places of extremes; its combiner then is none
    std::int64_t value_bytes = 0;                       // of one of those
    std::int32_t access = -1;                           // of the result
    int lanes = 1, unroll = 1;                          // as a kernel's
};

// pointwise: nothing is reduced. rows: along all inner axes, a result for each position of the outer ones; short_rows: several of
// those at once, each a row of the tile. columns: along all inner axes but the last; blocks: the same, for several positions of
// the last outer axis, each a row of a tile of results, one place of what is reduced after the other.
enum class loop_form : std::uint8_t { pointwise, rows, short_rows, columns, blocks };

// A loop over blocks whose only line is a routine's own. Places: of the axes from `level` on, `steps` of that one.
struct terms_of_blocks {
    block_routine run = nullptr;
    std::int32_t a = -1, b = -1; // accesses; b: none where it is a literal, or nothing
    int level = 0;
    std::int64_t steps = 1, within = 1; // within: places of one of these
    std::vector<std::int64_t> at_a, at_b;
};

struct tile_loop {
    loop_form form{};
    bool is_batched = false; // the tile's rows are positions of the step's last outer axis
    std::int64_t group = 0;  // so many are positions of one axis more, around which are those of the last outer one; 0: not so
    walk prefix;             // the inner axes around those of a tile
    int inner_rank = 0;
    std::int64_t rows = 1, columns = 1, tile_rows = 1, tile_columns = 1;
    int widest = 1, tile_count = 0, row_count = 0, element_count = 0, levels = 0;
    std::vector<tile_access> accesses;
    std::vector<slot> slots;
    std::vector<instruction> once, each_row, body; // before the loop, before each row of tiles, for each tile
    std::vector<reduction> reductions;
    std::vector<chain> chains;
    terms_of_blocks terms;
    std::vector<std::array<std::byte, 32>> literals;

    std::int64_t sums_of_tile() const {
        return form == loop_form::blocks ? tile_rows * tile_columns : tile_columns;
    } // side by side
    bool sums_columns() const { return form == loop_form::columns || form == loop_form::blocks; }
    std::int64_t row_bytes() const { return (tile_rows * widest + 63) / 64 * 64; } // an element for each row
    std::int64_t tile_bytes() const { return (tile_rows * tile_columns * widest + 63) / 64 * 64 + 64; }
};

// Runs an op that is no loop.
using call_routine = void (*)(table_view<call_operand> operands, std::byte* const* results, dims const& extents,
                              table_view<std::int64_t> attributes);

// The programs of a graph's branches, each made when it is first taken.
class branch_programs;

// A buffer that each position of a nest writes over.
struct row_buffer {
    std::int32_t number = 0;
    std::int64_t bytes = 0; // of all rows that loops take at once
    std::int64_t outer[max_rank]{};
};

struct tile_step {
    enum class kind : std::uint8_t { loops, call, check, branches, effect, routine } what{};
    walk outer;
    std::int64_t batch = 0; // positions of the last outer axis that loops take at once; 0: one
    std::int64_t group = 0; // of each of which so many rows; 0: one
    std::vector<tile_loop> loops;
    std::vector<row_buffer> row_buffers;
    std::int64_t piece_bytes = 0; // memory for a piece of a step that threads share; 0: they don't
    bool streams = false;
    call_routine call = nullptr;
    routine convert = nullptr; // of indices that are not int64
    std::int64_t index_count = 0;
};

} // namespace detail

} // namespace tx::inline TRACEXPR_TARGET::simd::tiles

namespace tx::inline TRACEXPR_RUNS::tiles {

// A graph for arguments of known extents, its plan, and the routines that run it.
struct program {
    tx::graph graph;
    tx::plan plan;
    std::vector<simd::tiles::detail::tile_step> steps;
    std::vector<std::vector<std::byte>> constants; // of buffers that are constants
    std::vector<std::int64_t> rows_of_buffer;      // of nests that take several rows at once: where a buffer of one row lies
    std::int64_t row_bytes = 0, scratch_bytes = 0; // behind the arena: those rows, tiles and slots
    std::shared_ptr<simd::tiles::detail::branch_programs> branches;
    bool stops_midway = false; // see passes/stops.hpp

    dims const& output_extents(std::size_t k) const { return plan.extents[index(graph.outputs()[k])]; }
    dtype output_type(std::size_t k) const { return graph[graph.outputs()[k]].type; }
    std::int64_t memory_bytes() const { // on one thread
        return plan.arena_bytes[0] + row_bytes + scratch_bytes + static_cast<std::int64_t>(plan.buffers.size() * sizeof(void*)) +
               256;
    }
};

} // namespace tx::inline TRACEXPR_RUNS::tiles
