// This file declares the text of what the passes make of a graph. The passes that also plan its
// runs make it: this file's own, or the compiled library's.
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
// A file that compiles kernels itself also plans for its own processor.
inline std::string explained_here(graph_view const& traced, pass_options const& options) {
#if TRACEXPR_HAS_KERNEL_BODIES
    return explain_passes(traced, options);
#else
    return explained<>(traced, options);
#endif
}
} // namespace tx::detail::inline TRACEXPR_TARGET
