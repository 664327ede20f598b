// This pass finds nodes of a graph that depend on nothing that a call gives, and that are worth keeping from one call to the
// next: they become captures of what the first call that needs them computes. Other constants are left to the loops that need
// them, because counting and comparing cost less than reading memory.
#pragma once

#include <tracexpr/graph/part.hpp>

TRACEXPR_BEGIN_PASSES

namespace tx::detail {

TRACEXPR_ONCE constexpr bool is_worth_keeping(graph_view const& g, node const& n) {
    constexpr std::int64_t few_elements = 64;
    constexpr int costly = 10; // functions of <cmath>
    std::int64_t most = g.shape_of(n).size();
    for (std::size_t k = 0; k < value_operands(n); ++k)
        if (std::int64_t const size = g.shape_of(g.operand(n, k)).size(); size > most) most = size;
    switch (info(n.code).kind) {
    case kind::pointwise: return info(n.code).cost >= costly && most > few_elements;
    case kind::reduction:
    case kind::arg_reduction:
    case kind::scan:
    case kind::order:
    case kind::lookup:
    case kind::contraction:
    case kind::update: return most > few_elements;
    case kind::decomposition:
    case kind::routine: return true;
    case kind::projection: return is_worth_keeping(g, g[g.operand(n, 0)]);
    default: return false;
    }
}

// Returns the constants worth keeping that an output, or a node which is not constant, needs.
TRACEXPR_ONCE constexpr buffer<node_id> constants_to_keep(graph_view const& g) {
    buffer<node_id> out;
    buffer<bool> constant(g.size()), worth(g.size()), needed(g.size());
    bool any = false;
    for (std::size_t i = 0; i < g.size(); ++i) {
        node const& n = g.nodes[i];
        bool is_constant = g.shape_of(n).is_static() && n.code != op::parameter && n.code != op::capture &&
                           n.type != dtype::token; // an effect happens at each run
        for (std::size_t k = 0; is_constant && k < n.arity; ++k) is_constant = constant[index(g.operand(n, k))];
        constant[i] = is_constant;
        worth[i] = is_constant && is_worth_keeping(g, n);
        any = any || worth[i];
        // The tensor that an update begins with is copied for the update, so additions to as few elements are just as cheaply
        // made anew.
        if (info(n.code).kind == kind::update && !is_constant) {
            node const& base = g[g.operand(n, 0)];
            if (info(base.code).kind == kind::update && g.shape_of(g.operand(base, 1)).size() <= g.shape_of(base).size())
                worth[index(g.operand(n, 0))] = false;
        }
    }
    if (!any) return out;
    for (node_id const id : g.outputs) needed[index(id)] = true;
    for (std::size_t i = g.size(); i-- > 0;)
        for (std::size_t k = 0; needed[i] && !worth[i] && k < g.nodes[i].arity; ++k)
            needed[index(g.operand(g.nodes[i], k))] = true;
    for (std::size_t i = 0; i < g.size(); ++i)
        if (needed[i] && worth[i]) out.push_back(to_id(i));
    return out;
}

// Returns the graph of these nodes alone.
TRACEXPR_ONCE constexpr graph graph_of_constants(graph_view const& g, table_view<node_id> kept) {
    graph out;
    for (node_id const id : append_part(out, g, kept)) out.add_output(id);
    return out;
}
// Returns the graph with captures in the place of the kept nodes.
TRACEXPR_ONCE constexpr graph with_kept_constants(graph_view const& g, table_view<node_id> kept, table_view<captured> captures) {
    graph out;
    buffer<bool> needed(g.size());
    std::size_t next = kept.size();
    for (node_id const id : g.outputs) needed[index(id)] = true;
    for (std::size_t i = g.size(); i-- > 0;) {
        bool const is_kept = next > 0 && index(kept[next - 1]) == i;
        if (is_kept) --next;
        if (g.nodes[i].code == op::parameter) needed[i] = true;
        for (std::size_t k = 0; needed[i] && !is_kept && k < g.nodes[i].arity; ++k)
            needed[index(g.operand(g.nodes[i], k))] = true;
    }
    buffer<node_id> moved(g.size()), operands;
    for (std::size_t i = 0; i < g.size(); ++i) {
        if (!needed[i]) continue;
        node const& n = g.nodes[i];
        if (next < kept.size() && index(kept[next]) == i) {
            moved[i] = out.append_capture(n.type, g.shape_of(n), captures[next++]);
            continue;
        }
        operands.clear();
        for (std::size_t k = 0; k < n.arity; ++k) operands.push_back(moved[index(g.operand(n, k))]);
        moved[i] = out.append_copy(g, n, operands);
    }
    for (node_id const id : g.outputs) out.add_output(moved[index(id)]);
    return out;
}

} // namespace tx::detail

TRACEXPR_END_PASSES
