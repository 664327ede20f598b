// This file prints a graph as text, as JSON and for Graphviz. All show the canonical graph: what does not reach an output is left
// out, and the numbering does not depend on the order of recording. (drawing.hpp makes pictures.)
#pragma once

#include <tracexpr/base/print.hpp>
#include <tracexpr/base/text.hpp>
#include <tracexpr/graph/graph.hpp>

#include <string>

namespace tx {

namespace detail {
void add_spec(text& out, dtype type, dims const& shape);
} // namespace detail

// Returns a text such as "float32[2,3]", with "?" for an unknown extent and "..." for an unknown rank.
std::string spec_text(dtype type, dims const& shape);
// Returns a line for each node, "%3 = sum(%2) {axes=[0], keepdims=1} : float32[1,3]"; the last line says what the graph returns.
// The nodes of branches follow their node, indented.
std::string to_text(graph_view const& any_order);
// Returns {"nodes": [...], "parameters": [ids], "outputs": [ids]}. A node has id, op, dtype, shape, operands (ids) and
// attributes; literals and constants have a value (row-major), parameters and captures their number, effects a text, and nodes
// with regions have those as graphs of the same format. null stands for an unknown extent, an unknown shape, a parameter that is
// not there, and an open bound of a slice. In a reshape's shape, -1 is inferred and -2 - k copies axis k; in that of
// broadcast_to, -1 keeps the extent.
std::string to_json(graph_view const& any_order);
// Returns the input of `dot -Tsvg`. The edges to an op of several operands are labelled with the operand's number.
std::string to_dot(graph_view const& any_order);

} // namespace tx

#if TRACEXPR_HAS_BODIES
#include <tracexpr/graph/print_bodies.hpp>
#endif
