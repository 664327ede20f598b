// Branches of a node, recorded anew: what derivatives and batches of the node have in their place.
#pragma once

#include <tracexpr/ad/value.hpp>
#include <tracexpr/graph/copy.hpp>
#include <tracexpr/graph/regions.hpp>

namespace tx::ad {

[[noreturn]] inline void throw_opaque_in_branch() {
    throw trace_error(
        "tx: opaque: there is no derivative of an opaque callable in a branch of tx::cond or in a loop; call it in front "
        "of the branch, have the condition or the loop in the callable, or give it tx::stop_gradient(x)");
}
// Without its effects: the results that are values, of the parameters that are. The token's is the last of either.
constexpr graph without_effects(graph_view const& branch) {
    graph out;
    graph_copier copier(branch, out);
    buffer<node_id> results;
    for (std::size_t k = 0; k < value_outputs(branch); ++k) results.push_back(branch.outputs[k]);
    buffer<bool> const needed = needed_nodes(branch, results, [&](node_id id, auto const& need) {
        node const& n = branch[id];
        for (std::size_t k = 0; k < n.arity; ++k)
            if (branch[branch.operand(n, k)].type != dtype::token) need(branch.operand(n, k));
    });
    for (node_id const id : branch.parameters)
        if (branch[id].type != dtype::token) copier.copy(id);
    copier.copy_needed(needed, [&](node_id id) {
        node const& n = branch[id];
        if (is_callback(n)) throw_opaque_in_branch();
        if (!has_regions(n) || !n.bits[0]) return copier[id];
        buffer<std::int64_t> regions;
        for (std::int64_t const number : branch.attributes_of(n))
            regions.push_back(out.append_region(without_effects(branch.region(number)).view()));
        table_view<node_id> const operands = copier.operands_of(n);
        return out.append(n.code, n.type, branch.shape_of(n), {operands.data(), operands.size() - 1}, regions);
    });
    copier.add_outputs(results);
    return out;
}

// What these nodes of another graph need, with all its parameters, as a region of this one.
constexpr std::int64_t append_closed(graph& around, graph_view const& from, table_view<node_id> results) {
    graph out;
    graph_copier copier(from, out);
    for (node_id const id : from.parameters) copier.copy(id);
    copier.copy_needed(needed_nodes(from, results), [&](node_id id) { return copier[id]; });
    copier.add_outputs(results);
    return around.append_region(out.view());
}
// A branch as a scope of its own, to record more into.
struct branch_copy : trace_scope {
    buffer<node_id> parameters, results;

    constexpr explicit branch_copy(graph_view const& branch) {
        recorded = copied(branch);
        results = buffer<node_id>(recorded.outputs());
        parameters = buffer<node_id>(recorded.view().parameters);
        recorded.clear_outputs();
    }
    constexpr ~branch_copy() {} // nvcc 13 does not take the implicit one for constexpr

    constexpr value at(node_id id) { return {recorded, id}; }
};

namespace detail {

// A node that takes the same way as `of`, with branches made of its own: record(copy) gives their results. They compute again
// what they need of the original; its effects are not repeated. operands[0] is the predicate.
template <class Record>
constexpr node_id derived_branches(graph& g, node_id of, table_view<node_id> operands, Record const& record) {
    buffer<std::int64_t> regions;
    buffer<std::int64_t> const originals(g.attributes_of(g[of]));
    for (std::int64_t const number : originals) {
        graph const pure = without_effects(g.view().region(number));
        branch_copy copy(pure.view());
        if (g[of].code == op::with_range) copy.parameters = buffer<node_id>(pure.view().parameters.subspan(1)); // not the range
        buffer<node_id> const results = record(copy);
        regions.push_back(append_closed(g, copy.recorded.view(), results));
    }
    return append_with_regions(g, g[of].code, false, loop_form::of(g[of]), operands, regions);
}
constexpr buffer<node_id> value_operands_of(graph const& g, node_id of) {
    buffer<node_id> out;
    for (std::size_t k = 0, count = value_operands(g[of]); k < count; ++k) out.push_back(g.operand(g[of], k));
    return out;
}
constexpr node_id parameter_for(branch_copy& copy, value const& x) { return copy.recorded.append_parameter(x.type(), x.shape()); }
constexpr node_id or_zeros(branch_copy& copy, value const& x, node_id like) {
    return broadcast_like(x.is_zero() ? copy.at(like).like(0) : x, copy.at(like)).id();
}

} // namespace detail

} // namespace tx::ad
