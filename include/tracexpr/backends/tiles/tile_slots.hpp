// Where the values of a loop under construction lie.
#pragma once

#include <tracexpr/backends/tiles/program.hpp>

namespace tx::inline TRACEXPR_TARGET::simd::tiles::detail {

// What the first cache should hold of a loop's tiles.
inline constexpr std::int64_t tile_budget = 24 * 1024;
// Of a tile, where the widest has so many bytes; loops of many tiles take fewer.
constexpr std::int64_t tile_elements(int widest) { return widest <= 4 ? 2048 : 1024; }

// A nest that takes several rows at once: where buffers of one row lie then, as the elements between rows; 0 for others.
using row_strides = std::vector<std::int64_t>;

class tile_slots {
public:
    explicit tile_slots(tile_loop& of) : l_{of} {}
    std::int16_t add(slot::kind what, int number) {
        l_.slots.push_back({what, number});
        return static_cast<std::int16_t>(l_.slots.size() - 1);
    }
    // A tile of its own for a value, of those that nothing needs any more where there is one.
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
