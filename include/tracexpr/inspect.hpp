// This header shows how long each step of a function takes (tx::profile), and draws graphs (to_svg, to_html, and to_dot with
// loops). It is not part of tracexpr.hpp, so that other programs needn't compile it.
#pragma once

#include <tracexpr/base/config.hpp>

TRACEXPR_BEGIN_SHARED
#include <tracexpr/graph/svg.hpp>
#include <tracexpr/run/drawn.hpp>
#include <tracexpr/run/profile.hpp>
#include <tracexpr/run/trees/names.hpp>
TRACEXPR_END_SHARED

namespace tx::detail {

struct graph_pictures {
    static std::string svg(graph_view const& g) { return to_svg(g); }
    static std::string html(graph_view const& g) { return to_html(g); }
};
template <class F, class... A> struct pictures {
    TRACEXPR_NAMES_TARGET static drawing of(graph_view const& trace) {
        return drawn_here(trace, passes_of<F>, parameter_names<F, A...>());
    }
    TRACEXPR_NAMES_TARGET static std::string dot(graph_view const& trace) { return tx::to_dot(of(trace)); }
    TRACEXPR_NAMES_TARGET static std::string svg(graph_view const& trace) { return tx::to_svg(of(trace)); }
    TRACEXPR_NAMES_TARGET static std::string html(graph_view const& trace, std::string const& signature) {
        return tx::to_html(of(trace), signature, explained_here(trace, passes_of<F>));
    }
};

} // namespace tx::detail
