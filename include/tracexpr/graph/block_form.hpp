// op::blocks runs a part of the graph for some of the places of an axis at a time, so that what it makes on the way is small.
#pragma once

#include <tracexpr/graph/graph.hpp>

namespace tx {

// Of the node's operands the first are cut along their first axis, each at the same places; the others every block is given
// whole. Its regions: the body, for `block` places or, where that is 0, for as many as the run chooses; the same for the places
// that are left at the end; and, if the first results are joined, a graph that makes one block's of two blocks' (of its
// parameters the first half are the earlier block's). The other results lie side by side along their first axis.
struct block_form {
    std::size_t joined = 0, sequences = 0;
    std::int64_t block = 0;

    constexpr std::uint64_t bits() const {
        return static_cast<std::uint64_t>(joined) | static_cast<std::uint64_t>(sequences) << 16 |
               static_cast<std::uint64_t>(block) << 32;
    }
    static constexpr block_form of(node const& n) {
        constexpr std::uint64_t count = (1u << 16) - 1;
        return {static_cast<std::size_t>(n.bits[1] & count), static_cast<std::size_t>(n.bits[1] >> 16 & count),
                static_cast<std::int64_t>(n.bits[1] >> 32)};
    }
};

} // namespace tx
