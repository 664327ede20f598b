// This file describes a part of a file's array: some of its rows.
#pragma once

#include <algorithm>
#include <cstdint>

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

} // namespace tx
