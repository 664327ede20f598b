// This file writes a drawing as SVG, or as an HTML page which also shows the regions and the text, without other programs.
#pragma once

#include <tracexpr/graph/drawing.hpp>

#include <string>

namespace tx {

std::string to_svg(detail::drawing const& d);
// Writes a page with the pictures, and `text` below them.
std::string to_html(detail::drawing const& d, std::string const& title, std::string const& text);

// Draws the canonical graph, as to_text numbers it. A tooltip shows the whole text of a node.
std::string to_svg(graph_view const& any_order);
// Writes a page with the graph, the regions of its nodes, and its text.
std::string to_html(graph_view const& any_order);

} // namespace tx

#if TRACEXPR_HAS_BODIES
#include <tracexpr/graph/svg_bodies.hpp>
#endif
