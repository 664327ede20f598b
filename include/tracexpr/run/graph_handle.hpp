// A graph as users see it.
#pragma once

#include <tracexpr/graph/svg.hpp>

namespace tx {

// Nodes in order; readable and machine-readable forms. Refers to the function that made it.
struct graph_handle : graph_view {
    constexpr explicit graph_handle(graph_view const& g) : graph_view(g) {}

    std::string to_text() const { return tx::to_text(*this); }
    std::string to_dot() const { return tx::to_dot(*this); }
    std::string to_svg() const { return tx::to_svg(*this); }
    std::string to_html() const { return tx::to_html(*this); }
    std::string to_json() const { return tx::to_json(*this); }
};

} // namespace tx
