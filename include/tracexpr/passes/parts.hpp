// This file finds where a loop can store a part of a concatenated, padded or updated tensor: directly in the buffer of the whole,
// so that the call which makes the whole needn't copy it.
#pragma once

#include <tracexpr/graph/axis_map.hpp>
#include <tracexpr/passes/program.hpp>

TRACEXPR_BEGIN_PASSES

namespace tx::detail {

// A stored_part names the call that makes the whole, and which of its operands a node is, perhaps with axes of extent 1 added or
// removed.
struct stored_part {
    node_id whole = node_id::none;
    std::size_t operand = 0;
};

// Does an operand of a call become a box of its result, whose elements lie side by side along each axis?
TRACEXPR_ONCE constexpr bool is_box(graph_view const& g, node const& call, std::size_t operand) {
    attribute_span const attributes = g.attributes_of(call);
    if (call.code == op::concatenate) return true;
    if (operand != (call.code == op::pad ? 0u : 1u)) return false;
    if (call.code == op::pad) {
        for (std::int64_t const width : attributes)
            if (width < 0) return false;
        return true;
    }
    if (call.code != op::view_set || added_view(attributes) != op::slice) return false;
    for (std::size_t step = 3; step < attributes.size(); step += 3)
        if (attributes[step] != 1) return false;
    return true;
}
// Returns where the box lies in the result.
TRACEXPR_ONCE constexpr strided_place place_of_box(graph_view const& g, node const& call, node_id self, std::size_t operand,
                                                   table_view<dims> extents) {
    dims const& whole = extents[index(self)];
    attribute_span const attributes = g.attributes_of(call);
    if (call.code == op::view_set) return place_in(whole, updated_map(whole, attributes));
    strided_place out;
    auto const strides = row_major_strides(whole);
    for (int axis = 0; axis < whole.rank; ++axis) {
        std::size_t const at = static_cast<std::size_t>(axis);
        out.stride[axis] = strides[at];
        if (call.code == op::pad) out.offset += attributes[2 * at] * strides[at];
    }
    if (call.code == op::concatenate)
        for (std::size_t k = 0; k < operand; ++k)
            out.offset +=
                extents[index(g.operand(call, k))][static_cast<int>(attributes[0])] * out.stride[static_cast<int>(attributes[0])];
    return out;
}
// Returns where the elements of a part lie in the whole, as strides along the part's own axes.
TRACEXPR_ONCE constexpr strided_place place_of_part(graph_view const& g, node_id part, stored_part const& p,
                                                    table_view<dims> extents) {
    node const& call = g[p.whole];
    strided_place at = place_of_box(g, call, p.whole, p.operand, extents);
    for (node_id id = g.operand(call, p.operand); id != part;) {
        node_id const operand = g.operand(g[id], 0);
        axis_map const m = view_map(g[id].code, extents[index(operand)], g.attributes_of(g[id]));
        strided_place inner{at.offset};
        for (int k = 0; k < m.count; ++k) inner.stride[m.steps[k].from] = at.stride[m.steps[k].to];
        at = inner, id = operand;
    }
    return at;
}

} // namespace tx::detail

TRACEXPR_END_PASSES
