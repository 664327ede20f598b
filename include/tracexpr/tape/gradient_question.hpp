// What a tape is asked for.
#pragma once

#include <tracexpr/graph/graph.hpp>

namespace tx::detail::inline TRACEXPR_RUNS {

// The gradient of the sum of some nodes with respect to others; `ends`: which of these belong to each source.
struct gradient_question {
    buffer<node_id> targets, sources;
    buffer<std::size_t> ends;
    std::uint64_t hash = 0; // of these and the graph

    bool operator==(gradient_question const& other) const {
        return hash == other.hash && targets == other.targets && sources == other.sources && ends == other.ends;
    }
};

} // namespace tx::detail::inline TRACEXPR_RUNS
