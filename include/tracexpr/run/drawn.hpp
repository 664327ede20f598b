// This file declares drawings of what the passes make of a graph. The passes that also plan its runs make
// them: this file's own, or the compiled library's.
#pragma once

#include <tracexpr/graph/drawing.hpp>
#include <tracexpr/passes/options.hpp>

#include <string>
#include <vector>

namespace tx::detail::inline TRACEXPR_RUNS {

// Draws a traced graph; `names` are its parameters' names.
template <class Unused = void>
drawing drawn(graph_view const& traced, pass_options const& options, std::vector<std::string> const& names);

} // namespace tx::detail::inline TRACEXPR_RUNS

#if TRACEXPR_HAS_KERNEL_BODIES
#include <tracexpr/passes/plan_drawing.hpp>
#endif
#if TRACEXPR_HAS_BODIES
namespace tx::detail::inline TRACEXPR_RUNS {
template <class Unused>
drawing drawn(graph_view const& traced, pass_options const& options, std::vector<std::string> const& names) {
    return drawing_of_plan(traced, options, names);
}
} // namespace tx::detail::inline TRACEXPR_RUNS
#endif

namespace tx::detail::inline TRACEXPR_RUNS {
TRACEXPR_INSTANCE(drawing drawn<void>(graph_view const&, pass_options const&, std::vector<std::string> const&))
} // namespace tx::detail::inline TRACEXPR_RUNS

namespace tx::detail::inline TRACEXPR_TARGET {
// A file that compiles kernels itself also plans for its own processor.
inline drawing drawn_here(graph_view const& traced, pass_options const& options, std::vector<std::string> const& names) {
#if TRACEXPR_HAS_KERNEL_BODIES
    return drawing_of_plan(traced, options, names);
#else
    return drawn<>(traced, options, names);
#endif
}
} // namespace tx::detail::inline TRACEXPR_TARGET
