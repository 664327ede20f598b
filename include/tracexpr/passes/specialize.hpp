// This file specializes a graph for arguments of known extents: it fills in the extents that a trace left unknown. Regions stay
// unchanged, because a branch that is not taken need not fit.
#pragma once

#include <tracexpr/passes/extents.hpp>

TRACEXPR_BEGIN_PASSES

namespace tx::inline TRACEXPR_TARGET {

// Returns the graph for arguments of these extents; throws shape_error if they don't fit.
constexpr graph specialized(graph_view const& g, table_view<dims> arguments) {
    buffer<dims> const extents = inferred_extents(g, arguments, late_broadcasts::allowed);
    graph out;
    buffer<node_id> moved(g.size(), node_id::none), operands;
    for (std::size_t i = 0; i < g.size(); ++i) {
        node const& n = g.nodes[i];
        literal_bits const bits{n.bits[0], n.bits[1]};
        operands.clear();
        for (std::size_t k = 0; k < n.arity; ++k) operands.push_back(moved[index(g.operand(n, k))]);
        if (n.code == op::checked) moved[i] = operands[0];
        else if (n.code == op::parameter) moved[i] = out.append_parameter(n.type, extents[i], n.bits[0]);
        else if (n.code == op::capture) moved[i] = out.append_capture(n.type, extents[i], g.captures[n.bits[0]]);
        else if (n.code == op::constant) moved[i] = out.append_constant(n.type, extents[i], g.blob.subspan(n.bits[0], n.bits[1]));
        else if (has_regions(n)) {
            if (n.code == op::cond) require_scalar_predicate(n.code, extents[index(g.operand(n, 0))]);
            moved[i] = out.append(n.code, n.type, extents[i], operands, out.append_regions(g, n), bits);
        } else moved[i] = out.append(n.code, n.type, extents[i], operands, g.attributes_of(n), bits);
    }
    for (node_id const id : g.outputs) out.add_output(moved[index(id)]);
    return out;
}

} // namespace tx::inline TRACEXPR_TARGET

TRACEXPR_END_PASSES
