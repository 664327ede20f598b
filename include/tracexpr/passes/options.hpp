// This file holds the options of the passes, all in one value; pipeline.hpp describes the passes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tx {

// A rule_set is a set of rules of simplify, by their numbers; rules_named (passes/rule_table.hpp) makes one from the rules'
// names.
struct rule_set {
    static constexpr std::size_t capacity = 192;
    std::uint64_t bits[capacity / 64]{};

    constexpr bool has(std::size_t rule) const { return bits[rule / 64] >> rule % 64 & 1u; }
    constexpr void add(std::size_t rule) { bits[rule / 64] |= std::uint64_t{1} << rule % 64; }
    friend constexpr bool operator==(rule_set const&, rule_set const&) = default;
};

// execution says how a traced function runs: as kernels that are compiled for it (`native`); on kernels that are compiled ahead
// of time and that a run arranges for it (`tiles`); or as the program's files are compiled (`automatic`; TRACEXPR_KERNELS_TILES,
// TRACEXPR_KERNELS_NONE).
enum class execution : std::uint8_t { automatic, native, tiles };

// Chooses the passes a function goes through, by tx::with_passes. Results are the same but for rounding.
struct pass_options {
    bool simplify = true;   // fold constants and identities, merge equal nodes, drop dead nodes
    bool fast_math = false; // identities that rounding, NaN, infinities or the sign of zero break
    bool split = true;      // unroll short axes of large spaces
    bool cluster = true;    // fuse several ops into one loop
    bool elements = true;   // write out small values, one for each of many places, as a value for each element
    bool blocks = true;     // compute large intermediate values a block at a time
    bool threads = false;   // split loops among several threads; tx::on says how many
    bool points = false;    // for a device with a thread for each point, or for a few points, of a loop's space
    bool reuse = true;      // overwrite buffers whose value is not needed any more
    rule_set off{};         // rules of simplify that are not applied
    execution kernels = execution::automatic;
};

} // namespace tx
