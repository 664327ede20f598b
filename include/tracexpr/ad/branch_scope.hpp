// This file records the branches of a node once more, for its derivatives and batches: it copies regions without their effects,
// makes scopes to record into, and appends the nodes that hold the new regions. Derivatives read the results of calls from what
// the original regions saved; a handle, a uint64, refers to what one run of a region saved.
#pragma once

#include <tracexpr/ad/value.hpp>
#include <tracexpr/graph/copy.hpp>
#include <tracexpr/graph/kept_calls.hpp>

namespace tx::ad {

[[noreturn]] inline void throw_opaque_again() {
    throw trace_error(
        "tx: opaque: there is no derivative through the condition of a tx::while_loop that calls opaque callables, nor "
        "where one in a branch or loop gives strings; give it tx::stop_gradient(x)");
}
// Gives the handle that examples share, from those of all examples. It is the largest, as examples that take no part have 0.
constexpr value any_handle(value const& handles) {
    value const or_none = record(op::pad, {handles, handles.like(0)}, attribute_list(0, 1));
    return unary(op::max, or_none, attribute_list(0, 0));
}
// quiet_region copies a region without its effects. Parameters and results that are values stay; the token, the last of either,
// is left out. The results of calls are read from what the original region kept. A branch gets its handle by a further parameter;
// in a loop a hidden state hands it from one iteration to the next.
class quiet_region {
public:
    // Gives region number k of a node without its effects.
    static constexpr graph of(graph_view const& g, node const& n, std::size_t k) {
        std::int64_t const handle_at = is_condition(n, k) ? -1 : tx::detail::kept_result(g, n);
        return quiet_region(g.region(g.attributes_of(n)[k]), handle_at, is_loop(n.code)).made();
    }

private:
    constexpr quiet_region(graph_view const& region, std::int64_t kept_result, bool loops)
        : region_{region}, copier_(region, out_), kept_result_{kept_result}, loops_{loops} {}

    constexpr graph made() {
        buffer<node_id> results;
        for (std::size_t k = 0; k < value_outputs(region_); ++k)
            if (static_cast<std::int64_t>(k) != kept_result_) results.push_back(region_.outputs[k]);
        for (node_id const id : collectives()) results.push_back(id);
        buffer<bool> const needed = needed_nodes(region_, results, [&](node_id id, auto const& need) {
            node const& n = region_[id];
            for (std::size_t k = 0; k < n.arity; ++k)
                if (region_[region_.operand(n, k)].type != dtype::token) need(region_.operand(n, k));
        });
        for (node_id const id : region_.parameters)
            if (region_[id].type != dtype::token) copier_.copy(id);
        if (kept_result_ >= 0) {
            std::size_t const at = static_cast<std::size_t>(kept_result_);
            handle_ = loops_ ? copier_[region_.parameters[at]]
                             : out_.append_parameter(dtype::uint64, dims(region_.shape_of(region_.outputs[at])));
            if (tx::detail::keeps(region_, region_.outputs[at])) keeping_node_ = region_.outputs[at];
        }
        copier_.copy_needed(needed, [&](node_id id) {
            if (is_callback(region_[id])) return replayed_call(id);
            return has_regions(region_[id]) && region_[id].bits[0] ? quiet_node(id) : copier_[id];
        });
        for (std::size_t k = 0; k < value_outputs(region_); ++k)
            if (static_cast<std::int64_t>(k) != kept_result_) out_.add_output(copier_[region_.outputs[k]]);
            else if (loops_) out_.add_output(tx::detail::append_kept(out_, call_form::next_kept, handle_));
        if (out_.outputs().empty()) out_.add_output(tx::detail::append_no_handle(out_)); // each node must have a result
        return std::move(out_);
    }
    // Gives the nodes that take part in collectives. They are needed because their derivatives are part of those of all ranks;
    // nodes that were recorded for one example only are left out.
    constexpr buffer<node_id> collectives() const {
        std::size_t const count = region_.outputs.size();
        bool const has_token = value_outputs(region_) < count;
        buffer<bool> const happens = tx::detail::effects_until(region_, has_token ? region_.outputs[count - 1] : node_id::none);
        buffer<bool> is_example(region_.size());
        buffer<node_id> out;
        for (std::size_t i = 0; i < region_.size(); ++i) {
            node const& n = region_.nodes[i];
            is_example[i] = n.code == op::placeholder;
            for (std::size_t k = 0; k < n.arity; ++k) is_example[i] = is_example[i] || is_example[index(region_.operand(n, k))];
            bool const counts = has_effect(n) ? happens[i] : !is_example[i];
            if (counts && tx::detail::takes_part_in_collectives(region_, n)) out.push_back(to_id(i));
        }
        return out;
    }
    // Gives the place that a node's value has among what the region kept.
    constexpr std::size_t place_of(node_id id) const {
        if (keeping_node_ == node_id::none) throw_opaque_again();
        node const& n = region_[keeping_node_];
        std::size_t const first = call_form(region_.attributes_of(n)).first_input();
        for (std::size_t k = first; k < n.arity; ++k) {
            node_id operand = region_.operand(n, k);
            while (operand != id && (region_[operand].code == op::broadcast_to || region_[operand].code == op::expand_dims))
                operand = region_.operand(region_[operand], 0); // a value that all examples share is kept once for each
            if (operand == id) return k - first;
        }
        throw_opaque_again();
    }
    // Appends what replaces a call: a node that reads the call's results from what was kept.
    constexpr node_id replayed_call(node_id id) {
        node const& n = region_[id];
        buffer<std::int64_t> attributes(region_.attributes_of(n));
        if (call_form(attributes).takes_handle()) return copier_[id];
        buffer<node_id> operands(copier_.operands_of(n));
        if (n.bits[0]) operands.pop_back();
        operands[0] = handle_for(call_form(attributes).batch_axes);
        attributes = call_form::replayed(attributes, place_of(id));
        return out_.append(n.code, n.type, region_.shape_of(n), operands, attributes);
    }
    // Appends a copy of an inner node whose regions have effects, without the effects.
    constexpr node_id quiet_node(node_id id) {
        node const& n = region_[id];
        std::int64_t const handle_at = tx::detail::kept_result(region_, n);
        buffer<node_id> operands(copier_.operands_of(n));
        operands.pop_back(); // the token
        if (handle_at >= 0) {
            node_id const handle = kept_by(id, static_cast<std::size_t>(handle_at));
            if (is_loop(n.code))
                operands[static_cast<std::size_t>(handle_at)] = tx::detail::append_kept(out_, call_form::first_kept, handle);
            else operands.push_back(handle);
        }
        buffer<std::int64_t> regions;
        for (std::size_t k = 0; k < region_.attributes_of(n).size(); ++k)
            regions.push_back(out_.append_region(of(region_, n, k).view()));
        return append_with_regions(out_, n.code, false, loop_form::of(n), operands, regions);
    }
    // Gives the handle by which the regions of an inner node kept the results of their calls.
    constexpr node_id kept_by(node_id id, std::size_t result) {
        node_id of = id;
        for (std::size_t i = 0; result > 0 && i < region_.size(); ++i)
            if (node const& n = region_.nodes[i];
                n.code == op::result && region_.operand(n, 0) == id && result_number(region_, n) == result)
                of = to_id(i);
        std::int64_t const number = call_form::replay + static_cast<std::int64_t>(place_of(of));
        return tx::detail::append_kept(out_, number, handle_for(region_.shape_of(of).rank));
    }
    // Gives the handles of all examples, or, where the examples share a call, the one handle that they share.
    constexpr node_id handle_for(std::int64_t batch_axes) {
        value out{out_, handle_};
        while (out.rank() > batch_axes) out = any_handle(out);
        return out.id();
    }

    graph_view region_;
    graph out_;
    graph_copier copier_;
    std::int64_t kept_result_;
    bool loops_;
    node_id handle_ = node_id::none, keeping_node_ = node_id::none;
};
constexpr graph without_effects(graph const& g, node_id of, std::size_t k) { return quiet_region::of(g.view(), g[of], k); }

namespace detail {
// Appends a region to `around` which is a copy of what the results need in the graph `from`; `parameters`, nodes of `from`, are
// its parameters in this order. With a token it has one more parameter, which stands for the first token of `from`, and one more
// output: `last_token`, or the parameter if that is none. `examples` are those of a trace_scope.
constexpr std::int64_t append_with_parameters(graph& around, graph_view const& from, table_view<node_id> parameters,
                                              table_view<node_id> results, bool with_token = false,
                                              node_id last_token = node_id::none, table_view<node_id> examples = {}) {
    graph out;
    graph_copier copier(from, out);
    for (node_id const id : parameters) copier.replace(id, out.append_parameter(from[id].type, from.shape_of(id)));
    node_id const token = with_token ? out.append_parameter(dtype::token, dims{}) : node_id::none;
    buffer<node_id> wanted(results);
    if (last_token != node_id::none) wanted.push_back(last_token);
    buffer<bool> is_example(from.size());
    for (node_id const id : examples) is_example[index(id)] = true;
    for (std::size_t i = 0; i < from.size(); ++i) // Derivatives on other ranks may need the collectives.
        if (!is_example[i] && !has_effect(from.nodes[i]) && tx::detail::has_collectives(from, from.nodes[i]))
            wanted.push_back(to_id(i));
    copier.copy_needed(needed_nodes(from, wanted), [&](node_id id) { return from[id].code == op::token ? token : copier[id]; });
    copier.add_outputs(results);
    if (with_token) out.add_output(last_token == node_id::none ? token : copier[last_token]);
    return around.append_region(out.view());
}
} // namespace detail
// Appends a region that is a copy of what the results need in `from`, with all parameters of `from`.
constexpr std::int64_t append_closed(graph& around, graph_view const& from, table_view<node_id> results,
                                     table_view<node_id> examples) {
    return detail::append_with_parameters(around, from, from.parameters, results, false, node_id::none, examples);
}
// A recorded_region holds a region that has been recorded, but isn't yet appended to the graph around it.
struct recorded_region {
    graph recorded;
    buffer<node_id> results;
    node_id token = node_id::none; // the last token; none: the region has no effects
};
// Appends a node with these regions; its token is its last result. If the regions have effects, the node is put in order with the
// effects of the scope.
constexpr node_id append_derived(trace_scope& scope, op code, bool has_token, loop_form const& form, buffer<node_id> operands,
                                 table_view<std::int64_t> regions) {
    graph& g = scope.recorded;
    if (has_token) operands.push_back(scope.last_token());
    node_id const out = append_with_regions(g, code, has_token, form, operands, regions);
    if (has_token) scope.token = append_result(g, out, result_count(g.view(), g[out]) - 1);
    return out;
}

// branch_copy is a scope that begins with a copy of a branch; more is recorded into it.
struct branch_copy : trace_scope {
    buffer<node_id> parameters, results;

    constexpr explicit branch_copy(graph_view const& branch) {
        recorded = copied(branch);
        results = buffer<node_id>(recorded.outputs());
        parameters = buffer<node_id>(recorded.view().parameters);
        recorded.clear_outputs();
    }
    constexpr ~branch_copy() {} // nvcc 13 does not take the implicit destructor for constexpr.

    constexpr value at(node_id id) { return {recorded, id}; }
    constexpr recorded_region release(buffer<node_id> of) { return {std::move(recorded), std::move(of), token}; }
};

namespace detail {

// Makes a region keep these values, and gives their handle. In a loop `before` is the handle of the iteration before.
constexpr node_id kept_by(graph& region, node_id before, table_view<node_id> values) {
    return values.empty() ? before : tx::detail::append_kept(region, call_form::keep, before, values);
}
// Appends a node that takes the same branch as `of` with new branches, whose results record(copy) gives. The branches compute
// again what they need of the original ones without repeating their effects. operands[0] is the predicate.
template <class Record>
constexpr node_id derived_branches(trace_scope& scope, node_id of, table_view<node_id> operands, Record const& record) {
    graph& g = scope.recorded;
    buffer<recorded_region> made;
    bool has_token = false, keeps_any = false;
    for (std::size_t k = 0, count = g.attributes_of(g[of]).size(); k < count; ++k) {
        graph const pure = without_effects(g, of, k);
        branch_copy copy(pure.view());
        if (g[of].code == op::with_range) copy.parameters = buffer<node_id>(pure.view().parameters.subspan(1)); // no range
        buffer<node_id> results = record(copy);
        made.push_back(copy.release(std::move(results)));
        has_token = has_token || made.back().token != node_id::none;
    }
    buffer<buffer<node_id>> saved; // for each branch: results that its derivatives must not compute again
    for (recorded_region& region : made) {
        if (has_token) saved.push_back(tx::detail::results_to_keep(region.recorded, region.token));
        else saved.push_back({}); // in a conditional expression g++ 12 would lose a temporary
        keeps_any = keeps_any || !saved.back().empty();
    }
    buffer<std::int64_t> regions;
    for (std::size_t k = 0; k < made.size(); ++k) {
        if (keeps_any)
            made[k].results.push_back(kept_by(made[k].recorded, tx::detail::append_no_handle(made[k].recorded), saved[k]));
        graph_view const from = made[k].recorded.view();
        regions.push_back(append_with_parameters(g, from, from.parameters, made[k].results, has_token, made[k].token));
    }
    return append_derived(scope, g[of].code, has_token, loop_form::of(g[of]), buffer<node_id>(operands), regions);
}
// Gives the operands of regions without effects: the node's operands that are values, and the handle of what it kept.
constexpr buffer<node_id> value_operands_of(graph& g, node_id of) {
    buffer<node_id> out;
    for (std::size_t k = 0, count = value_operands(g[of]); k < count; ++k) out.push_back(g.operand(g[of], k));
    std::int64_t const handle_at = tx::detail::kept_result(g.view(), g[of]);
    if (handle_at < 0) return out;
    std::size_t const at = static_cast<std::size_t>(handle_at);
    node_id const handle = append_result(g, of, at);
    if (!is_loop(g[of].code)) out.push_back(handle);
    else out[at] = tx::detail::append_kept(g, call_form::first_kept, handle);
    return out;
}
constexpr node_id parameter_for(branch_copy& copy, value const& x) { return copy.recorded.append_parameter(x.type(), x.shape()); }
constexpr node_id or_zeros(branch_copy& copy, value const& x, node_id like) {
    return broadcast_like(x.is_zero() ? copy.at(like).like(0) : x, copy.at(like)).id();
}

} // namespace detail

} // namespace tx::ad
