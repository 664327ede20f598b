// What passes make of a graph, in words: those of what runs it.
#pragma once

#include <tracexpr/graph/graph.hpp>
#include <tracexpr/passes/options.hpp>

#include <string>

namespace tx::detail::inline TRACEXPR_RUNS {

template <class Unused = void> std::string explained(graph_view const& traced, pass_options const& options);

} // namespace tx::detail::inline TRACEXPR_RUNS

#if TRACEXPR_HAS_KERNEL_BODIES
#include <tracexpr/passes/print.hpp>
#endif
#if TRACEXPR_HAS_BODIES
namespace tx::detail::inline TRACEXPR_RUNS {
template <class Unused> std::string explained(graph_view const& traced, pass_options const& options) {
    return explain_passes(traced, options);
}
} // namespace tx::detail::inline TRACEXPR_RUNS
#endif

namespace tx::detail::inline TRACEXPR_RUNS {
TRACEXPR_INSTANCE(std::string explained<void>(graph_view const&, pass_options const&))
} // namespace tx::detail::inline TRACEXPR_RUNS

namespace tx::detail::inline TRACEXPR_TARGET {
// What has kernels in this file is planned for this file's processor.
inline std::string explained_here(graph_view const& traced, pass_options const& options) {
#if TRACEXPR_HAS_KERNEL_BODIES
    return explain_passes(traced, options);
#else
    return explained<>(traced, options);
#endif
}
} // namespace tx::detail::inline TRACEXPR_TARGET
