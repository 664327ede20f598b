// This file holds forward mode through loops: a loop whose state has the tangents beside it.
#pragma once

#include <tracexpr/ad/forward.hpp>

namespace tx::ad {
namespace detail {

class loop_push_forward {
public:
    constexpr loop_push_forward(trace_scope& scope, node_id of, table_view<value> tangents, table_view<bool> moves)
        : scope_{scope}, g_{scope.recorded}, of_{of}, tangents_{tangents}, copy_(g_, of, moves), form_{copy_.form},
          operands_{value_operands_of(g_, of)}, steps_(operands_.size(), node_id::none) {}

    // Gives the tangents of all results.
    constexpr buffer<value> run() {
        buffer<std::size_t> const targets = record_body();
        bool const has_token = copy_.token != node_id::none;
        buffer<node_id> const saved = has_token ? tx::detail::results_to_keep(copy_.recorded, copy_.token) : buffer<node_id>();
        buffer<node_id> operands, parameters;
        std::size_t counts[3]{};
        std::size_t const ends[]{form_.states, form_.states + form_.sequences, operands_.size()};
        for (std::size_t part = 0, first = 0; part < 3; first = ends[part++]) {
            for (bool const is_tangent : {false, true})
                for (std::size_t k = first; k < ends[part]; ++k) {
                    if (is_tangent && !copy_.active[k]) continue;
                    operands.push_back(is_tangent ? start(k) : operands_[k]);
                    parameters.push_back(is_tangent ? steps_[k] : copy_.parameters[k]);
                    ++counts[part];
                }
            if (part > 0 || saved.empty()) continue;
            operands.push_back(tx::detail::append_no_handle(g_)); // The handle of kept calls is a hidden state.
            parameters.push_back(copy_.recorded.append_parameter(dtype::uint64, dims{}));
            ++counts[0];
        }
        std::size_t const states = counts[0];
        buffer<node_id> outputs;
        for (std::size_t k = 0; k < outputs_.size(); ++k) {
            if (k + 1 == states && !saved.empty()) outputs.push_back(kept_by(copy_.recorded, parameters[k], saved));
            outputs.push_back(outputs_[k]);
        }
        if (outputs_.size() + 1 == states) outputs.push_back(kept_by(copy_.recorded, parameters[states - 1], saved));
        buffer<std::int64_t> regions;
        if (g_[of_].code == op::while_loop) regions.push_back(condition(parameters, has_token));
        regions.push_back(append_with_parameters(g_, copy_.recorded.view(), parameters, outputs, has_token, copy_.token));
        node_id const made =
            append_derived(scope_, g_[of_].code, has_token, {states, counts[1], form_.reversed}, std::move(operands), regions);
        buffer<value> out(result_count(g_.view(), g_[of_]));
        for (std::size_t k = 0; k < targets.size(); ++k) {
            std::size_t const number = form_.states + k + (!saved.empty() && form_.states + k + 1 >= states ? 1 : 0);
            out[targets[k]] = {g_, append_result(g_, made, number)};
        }
        return out;
    }

private:
    constexpr node_id start(std::size_t k) const {
        value const x{g_, operands_[k]};
        return broadcast_like(tangents_[k].is_zero() ? zeros_like(x) : tangents_[k], x).id();
    }
    // Records the body's outputs: the next state, its tangents, and the tangents of the sequences. Gives the numbers of the
    // results that have tangents.
    constexpr buffer<std::size_t> record_body() {
        buffer<node_id> const sources = copy_.active_parameters();
        buffer<node_id> wanted;
        buffer<std::size_t> targets;
        for (std::size_t k = 0; k < operands_.size(); ++k)
            if (copy_.active[k]) steps_[k] = parameter_for(copy_, copy_.at(copy_.parameters[k]));
        for (std::size_t k = 0; k < copy_.results.size(); ++k)
            if (k < form_.states ? copy_.active[k] : is_inexact(copy_.recorded[copy_.results[k]].type))
                targets.push_back(k), wanted.push_back(copy_.results[k]);
        forward_pass pass(copy_, sources);
        for (std::size_t k = 0; k < operands_.size(); ++k)
            if (copy_.active[k]) pass.set(copy_.parameters[k], copy_.at(steps_[k]));
        pass.run(wanted);
        for (std::size_t k = 0; k < form_.states; ++k) outputs_.push_back(copy_.results[k]);
        for (node_id const id : wanted) outputs_.push_back(or_zeros(copy_, pass.tangent(id), id));
        return targets;
    }
    // Appends the condition of a while_loop, which doesn't depend on the tangents.
    constexpr std::int64_t condition(table_view<node_id> parameters, bool has_token) {
        graph asked = without_effects(g_, of_, 0);
        buffer<node_id> const own(asked.view().parameters);
        buffer<node_id> order;
        for (node_id const id : parameters) {
            node_id mine = node_id::none;
            for (std::size_t k = 0; k < own.size(); ++k)
                if (copy_.parameters[k] == id) mine = own[k];
            if (mine == node_id::none)
                mine = asked.append_parameter(copy_.recorded[id].type, dims(copy_.recorded.shape_of(id)),
                                              asked.view().parameters.size());
            order.push_back(mine);
        }
        buffer<node_id> const outputs(asked.outputs());
        return append_with_parameters(g_, asked.view(), order, outputs, has_token);
    }

    trace_scope& scope_;
    graph& g_;
    node_id of_;
    table_view<value> tangents_;
    loop_copy copy_;
    loop_form form_;
    buffer<node_id> operands_, steps_, outputs_;
};

// A while_loop whose condition calls functions must not evaluate it again, so its tangents are computed in a loop with the number
// of iterations that it made.
constexpr buffer<value> while_pushed_forward(trace_scope& scope, node_id of, table_view<value> tangents) {
    graph& g = scope.recorded;
    loop_form const form = loop_form::of(g[of]);
    counted_loop loop(scope, of);
    buffer<node_id> sources, steps, targets, results;
    for (std::size_t k = 0; k < tangents.size(); ++k)
        if (!tangents[k].is_zero()) sources.push_back(loop.parameters[k]), steps.push_back(loop.given(tangents[k]));
    for (std::size_t k = 0; k < form.states; ++k)
        if (is_inexact(loop.recorded[loop.ends[k]].type)) targets.push_back(loop.ends[k]);
    forward_pass pass(loop, sources);
    for (std::size_t k = 0; k < sources.size(); ++k) pass.set(sources[k], {loop.recorded, steps[k]});
    pass.run(targets);
    for (node_id const id : targets) {
        value const end{loop.recorded, id}, tangent = pass.tangent(id);
        results.push_back(broadcast_like(tangent.is_zero() ? end.like(0) : tangent, end).id());
    }
    node_id const made = loop.append_to(scope, std::move(results));
    buffer<value> out(result_count(g.view(), g[of]));
    std::size_t next = 0;
    for (std::size_t k = 0; k < form.states; ++k)
        if (is_inexact(result_spec(g.view(), g[of], k).type)) out[k] = {g, append_result(g, made, next++)};
    return out;
}

} // namespace detail

constexpr buffer<value> loops_pushed_forward(trace_scope& scope, node_id of, table_view<value> tangents) {
    graph const& g = scope.recorded;
    buffer<bool> moves;
    bool any = false;
    for (value const& t : tangents) moves.push_back(!t.is_zero()), any = any || !t.is_zero();
    if (!any && !has_collectives(g.view(), g[of])) return buffer<value>(result_count(g.view(), g[of]));
    if (g[of].code == op::while_loop && calls_functions(g.view().region(g.view().attributes_of(g[of])[0])))
        return detail::while_pushed_forward(scope, of, tangents);
    return detail::loop_push_forward(scope, of, tangents, moves).run();
}

} // namespace tx::ad
