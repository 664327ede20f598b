// This file finds the nodes that are needed in a graph under construction, where nodes may have derivative rules of the user.
#pragma once

#include <tracexpr/graph/copy.hpp>
#include <tracexpr/trace/expr.hpp>

namespace tx::detail {

// Marks the nodes that the roots depend on. The search does not go beyond a node for which ends(id) holds, or whose number is
// less than `first`. All results of a custom rule are needed if one is.
template <class Ends>
constexpr buffer<bool> needed_of(trace_scope const& scope, table_view<node_id> roots, Ends ends, std::size_t first = 0) {
    graph_view const g = scope.recorded.view();
    auto const follow = [&](node_id id, auto const& need) {
        if (ends(id)) return;
        custom_rule const* const rule = scope.rule_of(id);
        for (node_id const result : rule ? table_view<node_id>(rule->outputs) : table_view<node_id>(&id, 1)) {
            need(result);
            for (std::size_t k = 0; k < g[result].arity; ++k) need(g.operand(g[result], k));
        }
    };
    return needed_nodes(g, roots, follow, first);
}

} // namespace tx::detail
