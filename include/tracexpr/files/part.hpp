// This file reads a part of a file's array: some of its rows, and nothing else. It knows no format.
#pragma once

#include <tracexpr/files/elements.hpp>

#include <algorithm>
#include <cstdint>
#include <string>

namespace tx {

// part_of is part `index` of `count` along the first axis, as numpy.array_split cuts it: the first n % count parts of n rows have
// one row more than the others, and if there are fewer rows than parts, the last parts are empty. part_of{rank, ranks} is the
// part that one of several processes reads.
struct part_of {
    std::int64_t index = 0, count = 1;

    // Gives the first row of the part, for that many rows; it is 0 if there are no parts.
    constexpr std::int64_t begin(std::int64_t rows) const {
        return count < 1 ? 0 : index * (rows / count) + std::min(index, rows % count);
    }
    // Gives the row behind the part's last one.
    constexpr std::int64_t end(std::int64_t rows) const { return part_of{index + 1, count}.begin(rows); }
};

namespace detail {

inline void check_part(file_call const& call, tx::part_of part) {
    if (part.index < 0 || part.index >= part.count)
        call.fail("part_of{index, count} needs 0 <= index < count; given {" + std::to_string(part.index) + ", " +
                  std::to_string(part.count) + "}");
}
// Reads a part of an array, whose shape must be as the type says. A file that lacks elements of another part is refused, too, so
// that all processes that read its parts see the error.
template <element T, class Shape>
tensor<T, Shape> read_part(file_call const& call, byte_source& in, array_layout layout, tx::part_of part) {
    if (layout.extents.empty()) throw shape_error(call.says("holds one number, which has no rows to take a part of"));
    std::int64_t& rows = layout.extents.front();
    std::int64_t const begin = part.begin(rows), end = part.end(rows);
    layout.rows_before = begin, layout.rows_behind = rows - end;
    rows = end - begin;
    return read_tensor<T, Shape>(call.of_array("rows " + std::to_string(begin) + ':' + std::to_string(end)), in, layout);
}

} // namespace detail
} // namespace tx
