// What passes make of a graph, in words.
#pragma once

#include <tracexpr/graph/graph.hpp>
#include <tracexpr/passes/options.hpp>

#include <string>

namespace tx::detail::inline TRACEXPR_PROCESSOR {

template <class Unused = void> std::string explained(graph_view const& traced, pass_options const& options);

} // namespace tx::detail::inline TRACEXPR_PROCESSOR

#if TRACEXPR_HAS_BODIES
#include <tracexpr/passes/print.hpp>

namespace tx::detail::inline TRACEXPR_PROCESSOR {
template <class Unused> std::string explained(graph_view const& traced, pass_options const& options) {
    return explain_passes(traced, options);
}
} // namespace tx::detail::inline TRACEXPR_PROCESSOR
#endif

namespace tx::detail::inline TRACEXPR_PROCESSOR {
TRACEXPR_INSTANCE(std::string explained<void>(graph_view const&, pass_options const&))
} // namespace tx::detail::inline TRACEXPR_PROCESSOR
