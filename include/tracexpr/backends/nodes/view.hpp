// This file copies the elements of a view into contiguous memory.
#pragma once

#include <tracexpr/backends/loops/moves.hpp>
#include <tracexpr/backends/nodes/elementwise.hpp>
#include <tracexpr/base/strided_copy.hpp>
#include <tracexpr/graph/axis_map.hpp>

namespace tx::inline TRACEXPR_TARGET::simd::nodes {

// Says where the elements of a view are in its operand.
struct view_place {
    strided_place at;
    bool keeps_numbers = false; // the elements are all those of the operand, in order
    bool is_in_place = false;   // the elements are contiguous, from at.offset on
};
// Finds the place and the extents of a view. Returns false if the operand has no such view. `like` are the extents of a second
// operand, or null.
inline bool infer_view(op code, attribute_span attributes, dims const& operand, dims const* like, view_place& place, dims& out) {
    axis_map const map = view_map(code, operand, attributes, like);
    if (map.problem) return false;
    place.keeps_numbers = map.keeps_numbers;
    place.at = {};
    out = map.shape;
    if (!map.keeps_numbers) place.at = place_in(operand, map);
    auto const dense = row_major_strides(out);
    place.is_in_place = map.keeps_numbers || tx::detail::strided_copy(out, place.at.stride, dense.data()).rank == 0;
    return true;
}

// `bytes` is the size of an element.
inline void copy_view(view_place const& place, std::byte const* from, dims const& extents, std::int64_t bytes, std::byte* out) {
    if (place.keeps_numbers) {
        std::memcpy(out, from, static_cast<std::size_t>(extents.size() * bytes));
        return;
    }
    auto const dense = row_major_strides(extents);
    tx::detail::strided_copy const copy(extents, place.at.stride, dense.data());
    from += place.at.offset * bytes;
    // The elements are copied in blocks of rows and columns; the columns are contiguous where the copy has runs.
    std::int64_t const columns = copy.run > 1 || copy.rank == 0 ? copy.run : copy.axes[0].count;
    int const column_axis = copy.run > 1 || copy.rank == 0 ? -1 : 0, row_axis = column_axis + 1;
    std::int64_t const rows = row_axis < copy.rank ? copy.axes[row_axis].count : 1;
    moves::block_strides const strides{row_axis < copy.rank ? copy.axes[row_axis].from : 0,
                                       column_axis < 0 ? 1 : copy.axes[column_axis].from};
    std::int64_t position[max_rank]{}, blocks = 1;
    for (int axis = row_axis + 1; axis < copy.rank; ++axis) blocks *= copy.axes[axis].count;
    for (std::int64_t b = 0; b < blocks; ++b, out += rows * columns * bytes) {
        moves::pack_block(bytes, from, strides, out, rows, columns);
        for (int axis = row_axis + 1; axis < copy.rank; ++axis) {
            auto const& along = copy.axes[axis];
            bool const is_over = ++position[axis] == along.count;
            from += (is_over ? 1 - along.count : 1) * along.from * bytes;
            if (!is_over) break;
            position[axis] = 0;
        }
    }
}

} // namespace tx::inline TRACEXPR_TARGET::simd::nodes
