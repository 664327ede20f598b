// Branches: scopes within a scope, and the node that owns what was recorded into them.
#pragma once

#include <tracexpr/graph/regions.hpp>
#include <tracexpr/trace/scope.hpp>

namespace tx::detail {

// The scope of a branch, which is the innermost one for as long as it lives.
class branch_scope : public trace_scope {
public:
    constexpr branch_scope(trace_scope& around, buffer<node_id>& from_around) : opened_(static_cast<trace_scope&>(*this)) {
        outer = &around, root = around.root, taken = &from_around;
        kept = around.kept, append = around.append;
        root->innermost = this;
    }
    constexpr ~branch_scope() { root->innermost = outer; }

private:
    open_trace opened_;
};

// What was recorded for a branch: its results are the graph's outputs, and the last token, if there was an effect.
struct traced_branch {
    graph recorded;
    node_id token = node_id::none;
};

// The branch as a region: its parameters are the node's operands `taken` in the order `order`, and its last output is a token
// where one of the branches has an effect.
constexpr graph closed_branch(graph const& around, traced_branch const& branch, table_view<node_id> taken,
                              table_view<std::size_t> order, bool has_effect) {
    graph_view const from = branch.recorded.view();
    graph out;
    buffer<node_id> moved(from.size(), node_id::none), operands;
    for (std::size_t k = 0; k < order.size(); ++k) {
        node const& n = around[taken[order[k]]];
        node_id const known = order[k] < from.parameters.size() ? from.parameters[order[k]] : node_id::none;
        dims const shape = known == node_id::none ? around.shape_of(taken[order[k]]) : from.shape_of(known);
        node_id const parameter = out.append_parameter(n.type, shape);
        if (known != node_id::none) moved[index(known)] = parameter;
    }
    buffer<bool> needed(from.size());
    for (node_id const id : from.outputs) needed[index(id)] = true;
    if (branch.token != node_id::none) needed[index(branch.token)] = true;
    for (std::size_t i = from.size(); i-- > 0;)
        for (std::size_t k = 0; needed[i] && k < from.nodes[i].arity; ++k) needed[index(from.operand(from.nodes[i], k))] = true;
    for (std::size_t i = 0; i < from.size(); ++i) {
        if (!needed[i] || moved[i] != node_id::none) continue;
        operands.clear();
        for (std::size_t k = 0; k < from.nodes[i].arity; ++k) operands.push_back(moved[index(from.operand(from.nodes[i], k))]);
        moved[i] = out.append_copy(from, from.nodes[i], operands);
    }
    for (node_id const id : from.outputs) out.add_output(moved[index(id)]);
    if (has_effect) // a branch without one hands on the token that it was given, the last parameter
        out.add_output(branch.token == node_id::none ? out.view().parameters.back() : moved[index(branch.token)]);
    return out;
}

// The results that a node with these branches has, one after the other; none where they have none.
constexpr buffer<node_id> append_branches(trace_scope& scope, op code, node_id predicate, table_view<node_id> taken,
                                          table_view<traced_branch const*> branches) {
    graph& g = scope.recorded;
    bool has_effect = false;
    for (traced_branch const* branch : branches) has_effect = has_effect || branch->token != node_id::none;
    buffer<node_id> all(taken);
    if (has_effect) {
        node_id const token = scope.last_token();
        bool known = false;
        for (node_id const id : taken) known = known || id == token;
        if (!known) all.push_back(token);
    }
    buffer<std::size_t> order; // values, then the token
    for (bool const tokens : {false, true})
        for (std::size_t k = 0; k < all.size(); ++k)
            if ((g[all[k]].type == dtype::token) == tokens) order.push_back(k);
    buffer<std::int64_t> regions;
    for (traced_branch const* branch : branches)
        regions.push_back(g.append_region(closed_branch(g, *branch, all, order, has_effect).view()));
    buffer<node_id> operands, out;
    operands.push_back(predicate);
    for (std::size_t const k : order) operands.push_back(all[k]);
    graph_view const first = g.view().region(regions[0]);
    std::size_t const count = first.outputs.size();
    if (count == 0) return out;
    node_id const result = first.outputs[0];
    out.push_back(g.append(code, first[result].type, dims(first.shape_of(result)), operands, regions, {has_effect, 0}));
    for (std::size_t k = 1; k < count; ++k) out.push_back(append_result(g, out[0], k));
    if (has_effect) {
        scope.token = out.back();
        out.pop_back();
    }
    return out;
}

} // namespace tx::detail
