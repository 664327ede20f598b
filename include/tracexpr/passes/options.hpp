// What the passes may do; see pipeline.hpp for what they are. One value for all of them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tx {

// Rules of simplify, by number; rules_named (passes/rule_table.hpp) makes one of their names.
struct rule_set {
    static constexpr std::size_t capacity = 192;
    std::uint64_t bits[capacity / 64]{};

    constexpr bool has(std::size_t rule) const { return bits[rule / 64] >> rule % 64 & 1u; }
    constexpr void add(std::size_t rule) { bits[rule / 64] |= std::uint64_t{1} << rule % 64; }
    friend constexpr bool operator==(rule_set const&, rule_set const&) = default;
};

// How what the compiler traced is run: as kernels, which are compiled for it; on tiles, which were compiled before, and are
// arranged for it at run time; or as the program's files are compiled (TRACEXPR_KERNELS_TILES, TRACEXPR_KERNELS_NONE).
enum class execution : std::uint8_t { automatic, native, tiles };

// Which passes a function goes through, by tx::with_passes. The results are the same but for rounding.
struct pass_options {
    bool simplify = true;   // constants, identities, equal nodes, dead nodes
    bool fast_math = false; // identities that rounding, NaN, infinities or the sign of zero break
    bool split = true;      // short axes of large spaces are taken element by element
    bool cluster = true;    // several ops in one loop
    bool elements = true;   // small values, one for each of many places, as a value for each element
    bool blocks = true;     // large values on the way are made a block at a time
    bool threads = false;   // loops that several threads can share; tx::on says how many
    bool points = false;    // for a device with a thread for each point of a loop's space, or for a few
    bool reuse = true;      // buffers that are written over when their value is not needed any more
    rule_set off{};         // rules of simplify that are not applied
    execution kernels = execution::automatic;
};

} // namespace tx
