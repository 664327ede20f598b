// Regions of loops with parameters in another order, which derivatives need.
#pragma once

#include <tracexpr/ad/branch_scope.hpp>

namespace tx::ad::detail {

// A copy of a graph as a region of another, with these nodes as its parameters, in this order.
constexpr std::int64_t append_with_parameters(graph& around, graph_view const& from, table_view<node_id> parameters,
                                              table_view<node_id> outputs) {
    graph out;
    graph_copier copier(from, out);
    for (node_id const id : parameters) copier.replace(id, out.append_parameter(from[id].type, from.shape_of(id)));
    copier.copy_needed(needed_nodes(from, outputs), [&](node_id id) { return copier[id]; });
    copier.add_outputs(outputs);
    return around.append_region(out.view());
}

} // namespace tx::ad::detail
