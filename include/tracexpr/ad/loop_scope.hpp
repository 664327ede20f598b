// What derivatives of loops share: which of a loop's values change with others, and regions with parameters in another order.
#pragma once

#include <tracexpr/ad/branch_scope.hpp>

namespace tx::ad {

class active_nodes;

namespace detail {

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

// A loop's body without its effects, to record more into, and what is known of its parameters.
struct loop_copy : branch_copy {
    loop_form form;
    buffer<bool> active; // of the parameters: do they change, in some iteration, with what is differentiated for?

    // `active_operands`: of the node's operands that are values.
    constexpr loop_copy(graph const& g, node_id of, table_view<bool> active_operands)
        : branch_copy(without_effects(resulting_region(g.view(), g[of])).view()), form{loop_form::of(g[of])} {
        for (std::size_t k = 0; k < parameters.size(); ++k)
            active.push_back(active_operands[k] && is_inexact(recorded[parameters[k]].type));
        while (spreads()) {}
    }
    constexpr buffer<node_id> active_parameters() const {
        buffer<node_id> out;
        for (std::size_t k = 0; k < parameters.size(); ++k)
            if (active[k]) out.push_back(parameters[k]);
        return out;
    }

private:
    constexpr bool spreads();
};

} // namespace detail
} // namespace tx::ad
