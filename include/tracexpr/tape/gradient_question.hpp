// Describes the derivative that a tape is asked for.
#pragma once

#include <tracexpr/graph/graph.hpp>

namespace tx::detail::inline TRACEXPR_RUNS {

// A question is the gradient of the sum of the target nodes with respect to the source nodes. `ends` says which nodes belong to
// each source: those of source k end before ends[k].
struct gradient_question {
    buffer<node_id> targets, sources;
    buffer<std::size_t> ends;
    std::uint64_t hash = 0; // covers the nodes and the graph

    bool operator==(gradient_question const& other) const {
        return hash == other.hash && targets == other.targets && sources == other.sources && ends == other.ends;
    }
};

} // namespace tx::detail::inline TRACEXPR_RUNS
