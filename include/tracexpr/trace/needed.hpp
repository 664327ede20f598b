// What is needed of a graph under construction, in which nodes may have a user's rule for their derivatives.
#pragma once

#include <tracexpr/graph/copy.hpp>
#include <tracexpr/trace/expr.hpp>

namespace tx::detail {

// What the roots are made of; where ends(id), and before number `first`, a node is made of nothing. Of a custom rule all results
// are needed or none.
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
