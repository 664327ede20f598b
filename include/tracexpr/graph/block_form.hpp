// This file says what the attributes of op::blocks mean. That op runs a part of the graph for one block of an axis after the
// other, so that intermediate results are small.
#pragma once

#include <tracexpr/graph/graph.hpp>

namespace tx {

// The first `sequences` operands are cut into blocks along their first axis, all at the same positions; each block is given the
// whole of every other operand. The first region is the body for `block` elements of the axis or, if that is 0, for as many as
// the run chooses. The second is the body for the elements that are left at the end. If the first `joined` results are joined, a
// third region makes one block's results of two blocks' (the first half of its parameters are those of the earlier block). All
// other results are concatenated along their first axis.
struct block_form {
    std::size_t joined = 0, sequences = 0;
    std::int64_t block = 0;

    TRACEXPR_ONCE constexpr std::uint64_t bits() const {
        return static_cast<std::uint64_t>(joined) | static_cast<std::uint64_t>(sequences) << 16 |
               static_cast<std::uint64_t>(block) << 32;
    }
    TRACEXPR_ONCE static constexpr block_form of(node const& n) {
        constexpr std::uint64_t count = (1u << 16) - 1;
        return {static_cast<std::size_t>(n.bits[1] & count), static_cast<std::size_t>(n.bits[1] >> 16 & count),
                static_cast<std::int64_t>(n.bits[1] >> 32)};
    }
};

} // namespace tx
