// Branches: scopes within a scope, and the node that owns what was recorded into them.
#pragma once

#include <tracexpr/graph/copy.hpp>
#include <tracexpr/graph/regions.hpp>
#include <tracexpr/trace/scope.hpp>

namespace tx::detail {

// The scope of a branch, which is the innermost one for as long as it lives. `from_around`: the nodes taken from the scope around
// it, by the numbers of the parameters that stand for them. All branches of a node have the same.
class branch_scope : public trace_scope {
public:
    constexpr branch_scope(trace_scope& around, buffer<node_id>& from_around)
        : opened_(static_cast<trace_scope&>(*this)), taken_{from_around} {
        outer = &around, root = around.root;
        take = [](trace_scope& of, node_id id) { return static_cast<branch_scope&>(of).taken_in(id); };
        kept = around.kept, append = around.append;
        root->innermost = this;
    }
    constexpr ~branch_scope() { root->innermost = outer; }

private:
    // A node of `outer`: a parameter, or once more what costs nothing.
    constexpr node_id taken_in(node_id id) {
        node const& n = outer->recorded[id];
        if (n.code == op::literal || n.code == op::constant) return recorded.append_copy(outer->recorded.view(), n, {});
        std::size_t k = 0;
        while (k < taken_.size() && taken_[k] != id) ++k;
        if (k == taken_.size()) taken_.push_back(id);
        return recorded.append_parameter(n.type, dims(outer->recorded.shape_of(id)), k);
    }

    open_trace opened_;
    buffer<node_id>& taken_;
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
    graph_copier copier(from, out);
    for (std::size_t const k : order) {
        node_id const known = k < from.parameters.size() ? from.parameters[k] : node_id::none;
        node_id const parameter = known == node_id::none ? out.append_parameter(around[taken[k]].type, around.shape_of(taken[k]))
                                                         : out.append_parameter(from[known].type, from.shape_of(known));
        if (known != node_id::none) copier.replace(known, parameter);
    }
    buffer<node_id> results(from.outputs);
    if (branch.token != node_id::none) results.push_back(branch.token);
    copier.copy_needed(needed_nodes(from, results), [&](node_id id) { return copier[id]; });
    copier.add_outputs(results);
    // A branch without an effect hands on the token that it was given, the last parameter.
    if (has_effect && branch.token == node_id::none) out.add_output(out.view().parameters.back());
    return out;
}

// The results that a node with these regions has, one after the other; none where they have none. `predicate`: of branches, else
// none.
constexpr buffer<node_id> append_branches(trace_scope& scope, op code, node_id predicate, table_view<node_id> taken,
                                          table_view<traced_branch const*> branches, loop_form const& form = {}) {
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
    if (predicate != node_id::none) operands.push_back(predicate);
    for (std::size_t const k : order) operands.push_back(all[k]);
    if (code != op::while_loop && g.view().region(regions[0]).outputs.size() == 0) return out;
    out.push_back(append_with_regions(g, code, has_effect, form, operands, regions));
    for (std::size_t k = 1, count = result_count(g.view(), g[out[0]]); k < count; ++k) out.push_back(append_result(g, out[0], k));
    if (has_effect) {
        scope.token = out.back();
        out.pop_back();
    }
    return out;
}

} // namespace tx::detail
