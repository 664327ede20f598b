// This file appends the nodes of a graph that some outputs need to another graph.
#pragma once

#include <tracexpr/graph/graph.hpp>

namespace tx::detail {

// Appends the nodes that `wanted` need, and returns what `wanted` have become. Markers are replaced by their operands: the parts
// that are appended depend on no parameter, so no derivative passes through them.
TRACEXPR_ONCE constexpr buffer<node_id> append_part(graph& to, graph_view const& from, table_view<node_id> wanted) {
    buffer<bool> needed(from.size());
    std::size_t end = 0;
    for (node_id const id : wanted) {
        needed[index(id)] = true;
        if (index(id) >= end) end = index(id) + 1;
    }
    for (std::size_t i = end; i-- > 0;)
        for (std::size_t k = 0; needed[i] && k < from.nodes[i].arity; ++k) needed[index(from.operand(from.nodes[i], k))] = true;
    buffer<node_id> moved(end), operands, out;
    for (std::size_t i = 0; i < end; ++i) {
        if (!needed[i]) continue;
        node const& n = from.nodes[i];
        operands.clear();
        for (std::size_t k = 0; k < n.arity; ++k) operands.push_back(moved[index(from.operand(n, k))]);
        moved[i] = info(n.code).kind == kind::marker ? operands[0] : to.append_copy(from, n, operands);
    }
    for (node_id const id : wanted) out.push_back(moved[index(id)]);
    return out;
}

} // namespace tx::detail
