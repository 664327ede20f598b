// This file records branches and loop bodies: a scope for each, within the scope around it, and the node that owns the regions
// which were recorded.
#pragma once

#include <tracexpr/graph/copy.hpp>
#include <tracexpr/graph/kept_calls.hpp>
#include <tracexpr/graph/regions.hpp>
#include <tracexpr/trace/scope.hpp>

namespace tx::detail {

// The scope of a branch, which is the innermost one for as long as it lives. `from_around` holds the nodes taken from the scope
// around it, indexed by the numbers of the parameters that stand for them. All branches of a node share it.
class branch_scope : public trace_scope {
public:
    constexpr branch_scope(trace_scope& around, buffer<node_id>& from_around, buffer<loop_variable>* variables = nullptr)
        : opened_(static_cast<trace_scope&>(*this)), outer_nodes_{from_around} {
        outer = &around, root = around.root;
        take = [](trace_scope& of, node_id id, bool is_variable) {
            return static_cast<branch_scope&>(of).imported(id, is_variable);
        };
        loop_variables = variables;
        kept = around.kept, append = around.append;
        root->innermost = this;
        evaluates_ = std::exchange(root->evaluate, nullptr); // values are not computed during the trace within a region
    }
    constexpr ~branch_scope() { root->innermost = outer, root->evaluate = evaluates_; }

private:
    // Makes a node of `outer` available in this scope: as a parameter, or as a copy if it is a literal or constant.
    TRACEXPR_ONCE constexpr node_id imported(node_id id, bool is_variable) {
        node const& n = outer->recorded[id];
        if (!is_variable && (n.code == op::literal || n.code == op::constant))
            return recorded.append_copy(outer->recorded.view(), n, {});
        std::size_t k = is_variable ? outer_nodes_.size() : 0;
        while (k < outer_nodes_.size() && (outer_nodes_[k] != id || is_of_variable(k))) ++k;
        if (k == outer_nodes_.size()) outer_nodes_.push_back(id);
        return recorded.append_parameter(n.type, dims(outer->recorded.shape_of(id)), k);
    }
    TRACEXPR_ONCE constexpr bool is_of_variable(std::size_t parameter) const {
        if (loop_variables)
            for (loop_variable const& v : *loop_variables)
                if (v.parameter == parameter) return true;
        return false;
    }

    open_trace opened_;
    buffer<node_id>& outer_nodes_;
    kept_value (*evaluates_)(trace_scope&, node_id) = nullptr;
};

// A recorded branch: its results are the graph's outputs; `token` is its last token, if there was an effect.
struct traced_branch {
    graph recorded;
    node_id token = node_id::none;
    buffer<assignment> assigned;

    TRACEXPR_ONCE constexpr node_id assigned_to(void const* variable) const {
        for (assignment const& a : assigned)
            if (a.what.address == variable) return a.value;
        return node_id::none;
    }
};

// Makes each variable that some branch assigns a result of all branches; a branch without the assignment gives the value that the
// variable had before. Gives the variables.
TRACEXPR_ONCE constexpr buffer<assignment> add_assigned(trace_scope& scope, buffer<node_id>& outer_nodes,
                                                        table_view<traced_branch*> branches) {
    buffer<assignment> all;
    for (traced_branch const* branch : branches)
        for (assignment const& a : branch->assigned) {
            bool known = false;
            for (assignment const& other : all) known = known || other.what.address == a.what.address;
            if (!known) all.push_back(a);
        }
    for (assignment const& a : all) {
        std::size_t k = outer_nodes.size(); // the parameter of the variable's value before, where it is needed
        for (traced_branch* branch : branches) {
            node_id value = branch->assigned_to(a.what.address);
            if (value == node_id::none) {
                node_id const before = a.what.access->value(*a.variable, scope);
                for (k = 0; k < outer_nodes.size() && outer_nodes[k] != before;) ++k;
                if (k == outer_nodes.size()) outer_nodes.push_back(before);
                value = branch->recorded.append_parameter(scope.recorded[before].type, dims(scope.recorded.shape_of(before)), k);
            }
            branch->recorded.add_output(value);
        }
    }
    return all;
}
// Where calls in a branch return values that derivatives need later, every branch gets one more result, a handle of those that it
// keeps.
TRACEXPR_ONCE constexpr void add_kept(table_view<traced_branch*> branches) {
    bool any = false;
    buffer<buffer<node_id>> values;
    for (traced_branch* branch : branches)
        values.push_back(results_to_keep(branch->recorded, branch->token)), any = any || !values.back().empty();
    for (std::size_t k = 0; any && k < branches.size(); ++k) {
        graph& g = branches[k]->recorded;
        node_id const none = append_no_handle(g);
        g.add_output(values[k].empty() ? none : append_kept(g, call_form::keep, none, values[k]));
    }
}
// Assigns the nodes from `next` on to the variables, in order.
TRACEXPR_ONCE constexpr void assign_in(trace_scope& scope, table_view<assignment> all, node_id const* next) {
    for (assignment const& a : all) a.what.access->assign(*a.variable, scope, *next++);
}

// Gives the branch as a region: its parameters are the node's operands `outer_nodes` in the order `order`, and its last output is
// a token where one of the branches has an effect.
TRACEXPR_ONCE constexpr graph closed_branch(graph const& around, traced_branch const& branch, table_view<node_id> outer_nodes,
                                            table_view<std::size_t> order, bool has_effect) {
    graph_view const from = branch.recorded.view();
    graph out;
    graph_copier copier(from, out);
    for (std::size_t const k : order) {
        node_id const known = k < from.parameters.size() ? from.parameters[k] : node_id::none;
        node_id const parameter = known == node_id::none
                                      ? out.append_parameter(around[outer_nodes[k]].type, around.shape_of(outer_nodes[k]))
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

// Appends the node that owns these regions and gives its results; none where the regions have none. `predicate` is the condition
// of branches, else none. `first` holds the numbers of the operands that come first.
TRACEXPR_ONCE constexpr buffer<node_id> append_branches(trace_scope& scope, op code, node_id predicate,
                                                        table_view<node_id> outer_nodes, table_view<traced_branch*> branches,
                                                        loop_form const& form = {}, table_view<std::size_t> first = {}) {
    graph& g = scope.recorded;
    bool has_effect = false;
    for (traced_branch const* branch : branches) has_effect = has_effect || branch->token != node_id::none;
    buffer<node_id> all(outer_nodes);
    if (has_effect) {
        node_id const token = scope.last_token();
        bool known = false;
        for (node_id const id : outer_nodes) known = known || id == token;
        if (!known) all.push_back(token);
    }
    buffer<std::size_t> order(first); // values, then the token
    for (bool const tokens : {false, true})
        for (std::size_t k = 0; k < all.size(); ++k) {
            bool is_in = false;
            for (std::size_t const known : first) is_in = is_in || known == k;
            if (!is_in && (g[all[k]].type == dtype::token) == tokens) order.push_back(k);
        }
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
