// This file says what the rows of a nest need: how many threads run a row, and how much memory the values take that its loops
// pass on.
#pragma once

#include <tracexpr/passes/plan_tables.hpp>
#include <tracexpr/thrust/teams.hpp>

#include <array>
#include <cstdint>

namespace tx::detail::inline TRACEXPR_DEVICE {

// The length of a row: its points, and the units of them that a thread handles at once.
struct row_size {
    std::int64_t points = 0, units = 0;
};
// Gives the number of threads for a row; 0 where each loop is to be run alone.
constexpr std::int32_t team_of_rows(std::int64_t rows, row_size const& row, bool teams) {
    if (!teams) return rows < 8 && row.points >= 1 << 16 ? 0 : 1;
    std::int64_t const units = row.units;
    constexpr std::int64_t short_row = 8, row_of_warp = 256, row_of_block = 1 << 13, enough_rows = 264;
    if (units > row_of_block && rows < enough_rows) return 0;
    return units <= short_row ? 1 : units <= row_of_warp ? warp_threads : block_threads;
}

// Gives an offset in the memory for a row to each buffer that a nest stores at the same place for each row; `offset` has -1 for
// each buffer, and keeps it for the others. Returns the bytes of that memory.
inline std::int64_t place_row_buffers(plan_view const& p, plan_step const& s, std::int64_t* offset) {
    std::int64_t bytes = 0;
    if (s.outer.size() == 1) return bytes; // there is only one row
    for (std::size_t l = s.loops.first; l < s.loops.first + s.loops.count; ++l)
        for (std::uint32_t k = 0; k < p.loops[l].accesses.count; ++k) {
            plan_access const& a = p.accesses[p.loops[l].accesses.first + k];
            if (!a.stores) continue;
            auto const b = static_cast<std::size_t>(a.buffer);
            bool stays = p.buffers[b].place == buffer_place::arena && offset[b] < 0;
            for (int axis = 0; axis < s.outer.rank; ++axis) stays = stays && (s.outer.extent[axis] == 1 || a.outer[axis] == 0);
            if (!stays) continue;
            offset[b] = bytes;
            bytes += (p.buffers[b].bytes + 63) / 64 * 64;
        }
    return bytes;
}

// The offsets, in the memory for a row, of a nest's buffers that each row overwrites.
template <std::size_t Buffers> struct row_buffers {
    std::array<std::int64_t, Buffers> offset;
    std::int64_t bytes = 0;
    // memory in which each row has its own; null where the team's memory is used for one row after the other
    std::byte* all_rows = nullptr;

    row_buffers() { offset.fill(-1); }
};
struct no_row_buffers {};

} // namespace tx::detail::inline TRACEXPR_DEVICE
