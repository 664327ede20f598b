// This file divides the memory of a loop's run.
#pragma once

#include <tracexpr/backends/tiles/program.hpp>

namespace tx::inline TRACEXPR_TARGET::simd::tiles::detail {

inline std::int64_t partial_sums(tile_loop const& l, reduction const& r) {
    std::int64_t const of_a_row = static_cast<std::int64_t>(r.lanes) * r.unroll;
    return l.sums_columns() ? l.sums_of_tile() : l.form == loop_form::short_rows ? of_a_row * l.tile_rows : of_a_row;
}
inline std::int64_t partial_bytes(tile_loop const& l, reduction const& r) {
    std::int64_t const width = l.sums_columns() ? l.sums_of_tile() : r.lanes,
                       elements = partial_sums(l, r) + 2 * width + width * (l.levels + 1);
    return (elements * static_cast<std::int64_t>(r.combine.bytes) + 63) / 64 * 64;
}
// Divides a piece of memory into parts, each of which starts at a cache line.
class divided_memory {
public:
    explicit divided_memory(std::byte* from) : at_{from} {} // null: only measures the size
    std::byte* take(std::int64_t bytes) {
        std::byte* const part = at_;
        std::int64_t const whole = (bytes + 63) / 64 * 64;
        used_bytes_ += whole;
        if (at_) at_ += whole;
        return part;
    }
    template <class T> T* take_for(std::size_t count) {
        return reinterpret_cast<T*>(take(static_cast<std::int64_t>(count * sizeof(T))));
    }
    std::int64_t used_bytes() const { return used_bytes_; }

private:
    std::byte* at_;
    std::int64_t used_bytes_ = 0;
};

// `runs` holds the number of elements that a routine processes at once, and the number of such runs.
struct runs {
    std::int64_t length, count = 1;
};
struct interval {
    std::int64_t begin = 0, end = 0;
};

} // namespace tx::inline TRACEXPR_TARGET::simd::tiles::detail
