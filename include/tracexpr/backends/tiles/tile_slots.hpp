// This file assigns slots to the values of a loop under construction.
#pragma once

#include <tracexpr/backends/tiles/program.hpp>

namespace tx::inline TRACEXPR_TARGET::simd::tiles::detail {

// The number of bytes of the L1 cache that the tiles of a loop should fit in.
inline constexpr std::int64_t tile_budget = 24 * 1024;
// Returns the number of elements of a tile whose widest element has that many bytes; loops of many tiles take fewer.
constexpr std::int64_t tile_elements(int widest) { return widest <= 4 ? 2048 : 1024; }

// For each buffer of one row, in a nest that takes several rows at once: the distance of its rows in elements, or 0 for other
// buffers.
using row_strides = std::vector<std::int64_t>;

class tile_slots {
public:
    explicit tile_slots(tile_loop& of) : l_{of} {}
    std::int16_t add(slot::kind tag, int number) {
        l_.slots.push_back({tag, number});
        return static_cast<std::int16_t>(l_.slots.size() - 1);
    }
    // Returns a tile for a value: one that is no longer needed if there is one, or else a new one.
    std::int16_t take_tile() {
        if (free_.empty()) return add(slot::kind::tile, l_.tile_count++);
        std::int16_t const s = free_.back();
        free_.pop_back();
        return s;
    }
    void give_back(std::int16_t tile) { free_.push_back(tile); }

private:
    tile_loop& l_;
    std::vector<std::int16_t> free_;
};

} // namespace tx::inline TRACEXPR_TARGET::simd::tiles::detail
