// This file makes a drawing of a graph: boxes of text, lines between them, and groups of nodes that share a loop. to_dot writes
// it for Graphviz; svg.hpp lays it out without other programs.
#pragma once

#include <tracexpr/graph/print_bodies.hpp>

#include <string>
#include <vector>

TRACEXPR_BEGIN_PASSES

namespace tx::detail {

struct drawn_node {
    std::vector<std::string> lines; // of text
    bool is_leaf = false, is_result = false;
    std::int32_t group = -1;
};
struct drawn_edge {
    std::size_t from, to;
    std::string label; // The label is the number of the operand, if there are several.
};
struct drawing {
    std::string title; // not empty for a region
    // The node that this region belongs to, if it is one.
    std::size_t owner = 0;
    std::vector<drawn_node> nodes; // operands before users, results last
    std::vector<drawn_edge> edges; // The edges are sorted by the node that they go to.
    std::vector<std::string> groups;
    std::vector<drawing> regions; // the regions of all nodes
};

// Draws the nodes of a graph with their numbers, but without regions. `names` are the parameters' names; there may be fewer of
// them than parameters.
TRACEXPR_ONCE drawing drawing_of(graph_view const& g, std::vector<std::string> const& names = {}) {
    drawing out;
    for (std::size_t i = 0; i < g.size(); ++i) {
        node const& n = g.nodes[i];
        bool const is_leaf = n.arity == 0;
        std::string label =
            is_leaf ? node_text(g, n) : std::string(shown_name(g, n)) + attributes_text(n.code, g.attributes_of(n));
        if (n.code == op::parameter && n.bits[0] < names.size() && !names[n.bits[0]].empty()) label += ' ' + names[n.bits[0]];
        out.nodes.push_back({{label, spec_text(n.type, g.shape_of(n))}, is_leaf});
        for (std::size_t k = 0; k < n.arity; ++k)
            out.edges.push_back({index(g.operand(n, k)), i, n.arity > 1 ? std::to_string(k) : std::string()});
    }
    for (std::size_t k = 0; k < g.outputs.size(); ++k) {
        out.nodes.push_back({{"result" + std::to_string(k)}, false, true});
        out.edges.push_back({index(g.outputs[k]), out.nodes.size() - 1, {}});
    }
    return out;
}
// Returns the title of region number k of a node. The last block of op::blocks is not drawn if it has the size of all others.
inline std::string region_title(node const& n, std::size_t k) { return std::string(name(n.code)) + ": " + region_name(n, k); }
TRACEXPR_ONCE bool is_drawn(graph_view const& g, node const& n, std::size_t k) {
    if (n.code != op::blocks || k != 1) return true;
    std::int64_t const length = g.shape_of(g.operand(n, 0))[0], block = block_form::of(n).block;
    return block > 0 && (length == dyn || length % block != 0);
}
// Draws the nodes of a graph, and each of their regions as a drawing of its own.
TRACEXPR_ONCE drawing drawing_with_regions(graph_view const& g, std::vector<std::string> const& names = {}) {
    drawing out = drawing_of(g, names);
    for (std::size_t i = 0; i < g.size(); ++i)
        for (std::size_t k = 0; has_regions(g.nodes[i]) && k < g.nodes[i].attributes.count; ++k) {
            if (!is_drawn(g, g.nodes[i], k)) continue;
            drawing region = drawing_with_regions(g.region(g.attributes_of(g.nodes[i])[k]));
            region.title = region_title(g.nodes[i], k);
            region.owner = i;
            out.regions.push_back(std::move(region));
        }
    return out;
}

TRACEXPR_ONCE std::string dot_text(std::string_view text) {
    std::string out;
    for (char const c : text) out += c == '"' ? "\\\"" : c == '\\' ? "\\\\" : std::string(1, c);
    return out;
}
TRACEXPR_ONCE std::string dot_label(std::vector<std::string> const& lines) {
    std::string out;
    for (std::size_t k = 0; k < lines.size(); ++k) out += (k ? "\\n" : "") + dot_text(lines[k]);
    return out;
}
// `prefix` starts the names of the nodes, so that they differ from region to region.
TRACEXPR_ONCE void add_dot(std::string& out, drawing const& d, std::string const& prefix, std::string const& indent) {
    std::size_t results = 0;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < d.nodes.size(); ++i)
        names.push_back(prefix + (d.nodes[i].is_result ? "result" + std::to_string(results++) : 'n' + std::to_string(i)));
    std::size_t e = 0;
    for (std::size_t i = 0; i < d.nodes.size(); ++i) {
        drawn_node const& n = d.nodes[i];
        out += indent + names[i];
        if (n.is_result) out += " [shape=plain];\n";
        else out += " [label=\"" + dot_label(n.lines) + (n.is_leaf ? "\", style=rounded];\n" : "\"];\n");
        for (; e < d.edges.size() && d.edges[e].to == i; ++e)
            out += indent + names[d.edges[e].from] + " -> " + names[i] +
                   (d.edges[e].label.empty() ? ";\n" : " [label=\"" + d.edges[e].label + "\"];\n");
    }
    for (std::size_t g = 0; g < d.groups.size(); ++g) {
        std::string members;
        for (std::size_t i = 0; i < d.nodes.size(); ++i)
            if (d.nodes[i].group == static_cast<std::int32_t>(g)) members += ' ' + names[i] + ';';
        if (!members.empty())
            out += indent + "subgraph cluster_" + prefix + std::to_string(g) + " { label=\"" + dot_text(d.groups[g]) +
                   "\"; style=filled; fillcolor=\"#eef2f8\";" + members + " }\n";
    }
    for (std::size_t r = 0; r < d.regions.size(); ++r) {
        std::string const own = prefix + 'r' + std::to_string(r) + '_';
        out += indent + "subgraph cluster_" + own + " {\n" + indent + "  label=\"" + dot_text(d.regions[r].title) + "\";\n";
        add_dot(out, d.regions[r], own, indent + "  ");
        out += indent + "}\n";
        if (!d.regions[r].nodes.empty()) // An arrow leads from the result of the region to its owner.
            out += indent + own + "result0 -> " + names[d.regions[r].owner] + " [style=dashed];\n";
    }
}

} // namespace tx::detail

namespace tx {

inline std::string to_dot(detail::drawing const& d) {
    std::string out = "digraph {\n  node [shape=box];\n";
    detail::add_dot(out, d, "", "  ");
    return out + "}\n";
}
TRACEXPR_BODY std::string to_dot(graph_view const& any_order) {
    return to_dot(detail::drawing_of(canonicalize(any_order).view()));
}

} // namespace tx

TRACEXPR_END_PASSES
