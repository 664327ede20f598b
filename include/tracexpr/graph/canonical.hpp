// This file makes the canonical form of a graph: two graphs that compute the same expressions, recorded in different orders,
// become equal node by node.
#pragma once

#include <tracexpr/graph/copy.hpp>

TRACEXPR_BEGIN_PASSES

namespace tx {

TRACEXPR_ONCE constexpr graph canonicalize(graph_view const& g);

namespace detail {
TRACEXPR_ONCE constexpr node_id append_canonical(graph& out, graph_view const& g, node const& n, table_view<node_id> operands) {
    buffer<std::int64_t> regions;
    for (std::int64_t const number : g.attributes_of(n))
        regions.push_back(out.append_region(canonicalize(g.region(number)).view()));
    return out.append(n.code, n.type, g.shape_of(n), operands, regions, {n.bits[0], n.bits[1]});
}
} // namespace detail

// Copies the graph with its parameters first, in their order, and then the nodes that reach an output, in depth-first post-order
// from the outputs.
TRACEXPR_ONCE constexpr graph canonicalize(graph_view const& g) {
    struct visit {
        node_id id;
        std::uint32_t next;
    };
    graph out;
    graph_copier copier(g, out);
    for (node_id id : g.parameters)
        if (id != node_id::none) copier.copy(id);
    buffer<visit> path;
    for (node_id output : g.outputs) {
        if (copier[output] == node_id::none) path.push_back({output, 0});
        while (!path.empty()) {
            node const& n = g[path.back().id];
            if (path.back().next < n.arity) {
                node_id const operand = g.operand(n, path.back().next++);
                if (copier[operand] == node_id::none) path.push_back({operand, 0});
            } else {
                node_id const id = path.back().id;
                if (info(n.code).kind == kind::control)
                    copier.replace(id, detail::append_canonical(out, g, n, copier.operands_of(n)));
                else copier.copy(id);
                path.pop_back();
            }
        }
    }
    copier.add_outputs(g.outputs);
    return out;
}

// True if the two canonical graphs are equal node by node. Captures are compared by address.
TRACEXPR_ONCE constexpr bool same_graph(graph_view const& a, graph_view const& b) {
    if (a.size() != b.size() || a.outputs.size() != b.outputs.size() || a.parameters.size() != b.parameters.size()) return false;
    auto const equal_spans = [](auto x, auto y) {
        if (x.size() != y.size()) return false;
        for (std::size_t i = 0; i < x.size(); ++i)
            if (!(x[i] == y[i])) return false;
        return true;
    };
    for (std::size_t i = 0; i < a.size(); ++i) {
        node const &x = a.nodes[i], &y = b.nodes[i];
        if (x.code != y.code || x.type != y.type || x.arity != y.arity || !(a.shape_of(x) == b.shape_of(y))) return false;
        if (!equal_spans(a.attributes_of(x), b.attributes_of(y))) return false;
        if (info(x.code).kind == kind::control)
            for (std::int64_t const number : a.attributes_of(x))
                if (!same_graph(a.region(number), b.region(number))) return false;
        for (std::size_t k = 0; k < x.arity; ++k)
            if (a.operand(x, k) != b.operand(y, k)) return false;
        if (x.code == op::constant) {
            if (!equal_spans(a.blob.subspan(x.bits[0], x.bits[1]), b.blob.subspan(y.bits[0], y.bits[1]))) return false;
        } else if (x.code == op::capture) {
            if (!(a.captures[x.bits[0]] == b.captures[y.bits[0]])) return false;
        } else if (x.code == op::checked) {
            if (!(a.checks[x.bits[0]] == b.checks[y.bits[0]])) return false;
        } else if (x.bits[0] != y.bits[0] || x.bits[1] != y.bits[1]) {
            return false;
        }
    }
    return equal_spans(a.parameters, b.parameters) && equal_spans(a.outputs, b.outputs);
}

} // namespace tx

TRACEXPR_END_PASSES
