// This file holds reverse mode through loops. The gradient of a scan is a scan in the opposite direction, which reads the states
// that each iteration began with; another scan in the original direction collects these. A while_loop counts its iterations. Its
// gradient is that of a scan over a range of this length, which a with_range node makes.
#pragma once

#include <tracexpr/ad/reverse.hpp>

namespace tx::ad {
namespace detail {

// loop_copy is a scope that begins with a copy of a loop's body without its effects, and knows which of its parameters are
// active.
struct loop_copy : branch_copy {
    loop_form form;
    buffer<bool> active; // for each parameter: it depends, in some iteration, on what is differentiated for

    // active_operands has an element for each of the node's operands that are values.
    constexpr loop_copy(graph const& g, node_id of, table_view<bool> active_operands)
        : branch_copy(without_effects(g, of, g[of].code == op::while_loop ? 1 : 0).view()), form{loop_form::of(g[of])} {
        for (std::size_t k = 0; k < parameters.size(); ++k)
            active.push_back(active_operands[k] && is_inexact(recorded[parameters[k]].type));
        while (mark_more_states()) {}
    }
    constexpr buffer<node_id> active_parameters() const {
        buffer<node_id> out;
        for (std::size_t k = 0; k < parameters.size(); ++k)
            if (active[k]) out.push_back(parameters[k]);
        return out;
    }

private:
    // Marks states as active that the body computes from active parameters. Tells whether one was not active before.
    constexpr bool mark_more_states() {
        buffer<node_id> const sources = active_parameters();
        active_nodes const moving(recorded, sources, {},
                                  collectives_within(*this, effects_between::sources_and_now(*this, sources)));
        bool any = false;
        for (std::size_t k = 0; k < form.states; ++k) {
            if (active[k] || !is_inexact(recorded[parameters[k]].type) || !moving[results[k]]) continue;
            active[k] = any = true;
        }
        return any;
    }
};

// Records the gradients of a scan's operands: its initial states, its sequences, and the values that all iterations share.
class scan_pull_back {
public:
    constexpr scan_pull_back(trace_scope& scope, node_id of, table_view<value> cotangents, table_view<bool> wanted)
        : scope_{scope}, g_{scope.recorded}, of_{of}, cotangents_{cotangents}, wanted_{wanted}, copy_(g_, of, wanted),
          form_{copy_.form}, operands_{value_operands_of(g_, of)} {}

    constexpr buffer<value> run() {
        record_body();
        keep_calls();
        buffer<node_id> const saved = saved_states();
        loop_form const form{states_.size(), 0, !form_.reversed};
        std::size_t const first_shared = form_.states + form_.sequences;
        buffer<node_id> operands(starts_), parameters(states_);
        std::size_t sequences = 0;
        auto const add = [&](node_id operand, node_id parameter) {
            operands.push_back(operand), parameters.push_back(parameter);
        };
        for (std::size_t k = 0; k < form_.states; ++k)
            if (saved[k] != node_id::none) add(saved[k], copy_.parameters[k]), ++sequences;
        for (std::size_t k = form_.states; k < first_shared; ++k) add(operands_[k], copy_.parameters[k]), ++sequences;
        for (std::size_t k = 0; k < sequence_cotangents_.size(); ++k)
            add(sequence_cotangents_[k], cotangent_parameters_[k]), ++sequences;
        for (std::size_t k = first_shared; k < operands_.size(); ++k) add(operands_[k], copy_.parameters[k]);
        bool const has_token = copy_.token != node_id::none;
        std::int64_t const body = append_with_parameters(g_, copy_.recorded.view(), parameters, outputs_, has_token, copy_.token);
        node_id const made =
            append_derived(scope_, op::scan, has_token, {form.states, sequences, form.reversed}, std::move(operands), {&body, 1});
        buffer<value> out(operands_.size());
        for (std::size_t k = 0; k < operands_.size(); ++k)
            if (place_[k] >= 0) out[k] = {g_, append_result(g_, made, static_cast<std::size_t>(place_[k]))};
        return out;
    }

private:
    // Records the gradients of one iteration's states, elements and shared values, for those of its results.
    constexpr void record_body() {
        buffer<node_id> const sources = copy_.active_parameters();
        buffer<node_id> state_cotangents(form_.states, node_id::none), sums(operands_.size(), node_id::none);
        place_.assign(operands_.size(), -1);
        for (std::size_t k = 0; k < form_.states; ++k) {
            if (!copy_.active[k]) continue;
            node_id const result = append_result(g_, of_, k);
            place_[k] = static_cast<std::int32_t>(states_.size());
            value const start = cotangents_[k].is_zero() ? zeros_like({g_, result}) : cotangents_[k];
            starts_.push_back(broadcast_like(start, {g_, result}).id());
            states_.push_back(state_cotangents[k] = parameter_for(copy_, copy_.at(copy_.parameters[k])));
        }
        for (std::size_t k = form_.states + form_.sequences; k < operands_.size(); ++k) {
            if (!copy_.active[k]) continue;
            place_[k] = static_cast<std::int32_t>(states_.size());
            starts_.push_back(broadcast_like(zeros_like({g_, operands_[k]}), {g_, operands_[k]}).id());
            states_.push_back(sums[k] = parameter_for(copy_, copy_.at(copy_.parameters[k])));
        }
        for (std::size_t k = form_.states; k < copy_.results.size(); ++k) {
            if (cotangents_[k].is_zero()) continue;
            sequence_cotangents_.push_back(broadcast_like(cotangents_[k], {g_, append_result(g_, of_, k)}).id());
            cotangent_parameters_.push_back(parameter_for(copy_, copy_.at(copy_.results[k])));
        }
        reverse_pass pass(copy_, sources);
        for (std::size_t k = 0; k < form_.states; ++k)
            if (state_cotangents[k] != node_id::none) pass.add(copy_.results[k], copy_.at(state_cotangents[k]));
        std::size_t next = 0;
        for (std::size_t k = form_.states; k < copy_.results.size(); ++k)
            if (!cotangents_[k].is_zero()) pass.add(copy_.results[k], copy_.at(cotangent_parameters_[next++]));
        pass.run();
        auto const gradient = [&](std::size_t k) {
            return or_zeros(copy_, pass.gradient(copy_.parameters[k]), copy_.parameters[k]);
        };
        for (std::size_t k = 0; k < form_.states; ++k)
            if (copy_.active[k]) outputs_.push_back(gradient(k));
        for (std::size_t k = form_.states + form_.sequences; k < operands_.size(); ++k)
            if (copy_.active[k]) outputs_.push_back((copy_.at(sums[k]) + copy_.at(gradient(k))).id());
        for (std::size_t k = form_.states; k < form_.states + form_.sequences; ++k) {
            if (!copy_.active[k]) continue;
            place_[k] = static_cast<std::int32_t>(outputs_.size());
            outputs_.push_back(gradient(k));
        }
    }
    // Keeps the results of the calls in the body for its derivatives. The handle by which they are kept is a hidden state behind
    // the others.
    constexpr void keep_calls() {
        if (copy_.token == node_id::none) return;
        buffer<node_id> const saved = tx::detail::results_to_keep(copy_.recorded, copy_.token);
        if (saved.empty()) return;
        std::size_t const state_count = states_.size();
        states_.push_back(copy_.recorded.append_parameter(dtype::uint64, dims{}));
        starts_.push_back(tx::detail::append_no_handle(g_));
        buffer<node_id> outputs(outputs_);
        outputs_.clear();
        for (std::size_t k = 0; k < state_count; ++k) outputs_.push_back(outputs[k]);
        outputs_.push_back(kept_by(copy_.recorded, states_.back(), saved));
        for (std::size_t k = state_count; k < outputs.size(); ++k) outputs_.push_back(outputs[k]);
        for (std::int32_t& place : place_) place += place >= static_cast<std::int32_t>(state_count);
    }
    // Gives, for each state that the body needs, a sequence of its values before each iteration.
    constexpr buffer<node_id> saved_states() {
        buffer<bool> const needed = needed_nodes(copy_.recorded.view(), outputs_);
        graph const pure = without_effects(g_, of_, 0);
        buffer<node_id> outputs(pure.outputs()), out(form_.states, node_id::none);
        for (std::size_t k = 0; k < form_.states; ++k)
            if (needed[index(copy_.parameters[k])]) outputs.push_back(pure.view().parameters[k]);
        if (outputs.size() == pure.outputs().size()) return out;
        std::int64_t const body = append_with_parameters(g_, pure.view(), pure.view().parameters, outputs);
        node_id const made = append_with_regions(g_, op::scan, false, form_, operands_, {&body, 1});
        std::size_t next = pure.outputs().size();
        for (std::size_t k = 0; k < form_.states; ++k)
            if (needed[index(copy_.parameters[k])]) out[k] = append_result(g_, made, next++);
        return out;
    }

    trace_scope& scope_;
    graph& g_;
    node_id of_;
    table_view<value> cotangents_;
    table_view<bool> wanted_;
    loop_copy copy_;
    loop_form form_;
    buffer<node_id> operands_;        // of the original scan, without its token
    buffer<node_id> starts_, states_; // the new scan's initial states, and the body's parameters for them
    // cotangents of the results that are sequences, and the body's parameters for their elements
    buffer<node_id> sequence_cotangents_, cotangent_parameters_;
    buffer<node_id> outputs_;    // of the new scan's body
    buffer<std::int32_t> place_; // the place of each operand's gradient among the results
};

// counted_loop is the region of a with_range, which begins with a scan of as many iterations as a while_loop made; derivatives
// are recorded into it. The region's parameters are the range, the loop's operands that are values, and values that are given
// later.
struct counted_loop : trace_scope {
    buffer<node_id> operands;   // of the with_range
    buffer<node_id> parameters; // for the loop's operands
    buffer<node_id> ends;       // the states after the scan

    constexpr counted_loop(trace_scope& around, node_id of) : around_{around.recorded} {
        graph& g = around_;
        loop_form const form = loop_form::of(g[of]);
        buffer<node_id> const inputs = value_operands_of(g, of);
        operands.push_back(append_result(g, of, form.states));
        node_id const range = recorded.append_parameter(dtype::int64, dims{{dyn}, 1});
        for (node_id const id : inputs) parameters.push_back(given({g, id}));
        node_id const scan = append_counted(of, range);
        for (std::size_t k = 0; k < form.states; ++k) ends.push_back(append_result(recorded, scan, k));
    }
    constexpr ~counted_loop() {} // nvcc 13 does not take the implicit destructor for constexpr.

    // Gives a new parameter of the region, for a value from outside.
    constexpr node_id given(value const& x) {
        operands.push_back(x.id());
        return recorded.append_parameter(x.type(), dims(x.shape()));
    }
    // Appends the with_range with these results. If it has effects, it is put in order with those of the scope.
    constexpr node_id append_to(trace_scope& scope, buffer<node_id> results) {
        bool const has_token = token != node_id::none;
        if (has_token)
            if (buffer<node_id> const values = tx::detail::results_to_keep(recorded, token); !values.empty())
                results.push_back(kept_by(recorded, tx::detail::append_no_handle(recorded), values));
        graph_view const from = recorded.view();
        std::int64_t const region = append_with_parameters(scope.recorded, from, from.parameters, results, has_token, token);
        return append_derived(scope, op::with_range, has_token, {}, operands, {&region, 1});
    }

private:
    // Appends the scan: its body is that of the while_loop, with a parameter more for an element of the range, which it ignores.
    constexpr node_id append_counted(node_id of, node_id range) {
        graph const pure = without_effects(around_, of, 1);
        loop_form const form = loop_form::of(around_[of]);
        graph body = copied(pure.view());
        buffer<node_id> order, scan_operands;
        for (std::size_t k = 0; k < parameters.size(); ++k) {
            if (k == form.states) scan_operands.push_back(range), order.push_back(node_id::none);
            scan_operands.push_back(parameters[k]), order.push_back(body.view().parameters[k]);
        }
        if (parameters.size() == form.states) scan_operands.push_back(range), order.push_back(node_id::none);
        node_id const element = body.append_parameter(dtype::int64, dims{}, body.view().parameters.size());
        for (node_id& id : order)
            if (id == node_id::none) id = element;
        std::int64_t const region = append_with_parameters(recorded, body.view(), order, body.outputs());
        return append_with_regions(recorded, op::scan, false, {form.states, 1, false}, scan_operands, {&region, 1});
    }

    graph& around_;
};
constexpr buffer<value> while_pulled_back(trace_scope& scope, node_id of, table_view<value> cotangents, table_view<bool> wanted) {
    graph& g = scope.recorded;
    loop_form const form = loop_form::of(g[of]);
    counted_loop loop(scope, of);
    buffer<node_id> results, sources;
    buffer<node_id> given(form.states, node_id::none);
    for (std::size_t k = 0; k < form.states; ++k)
        if (!cotangents[k].is_zero()) given[k] = loop.given(cotangents[k]);
    for (std::size_t k = 0; k < wanted.size(); ++k)
        if (wanted[k]) sources.push_back(loop.parameters[k]);
    reverse_pass pass(loop, sources);
    for (std::size_t k = 0; k < form.states; ++k)
        if (given[k] != node_id::none) pass.add(loop.ends[k], {loop.recorded, given[k]});
    pass.run();
    for (node_id const id : sources) {
        value const x{loop.recorded, id}, gradient = pass.gradient(id);
        results.push_back(broadcast_like(gradient.is_zero() ? x.like(0) : gradient, x).id());
    }
    node_id const made = loop.append_to(scope, std::move(results));
    buffer<value> out(wanted.size());
    std::size_t next = 0;
    for (std::size_t k = 0; k < wanted.size(); ++k)
        if (wanted[k]) out[k] = {g, append_result(g, made, next++)};
    return out;
}

} // namespace detail

constexpr buffer<value> loops_pulled_back(trace_scope& scope, node_id of, table_view<value> cotangents, table_view<bool> wanted) {
    graph const& g = scope.recorded;
    bool any = false, is_given = false;
    for (bool const w : wanted) any = any || w;
    for (value const& c : cotangents) is_given = is_given || !c.is_zero();
    if ((!any || !is_given) && !has_collectives(g.view(), g[of])) return buffer<value>(wanted.size());
    if (g[of].code == op::while_loop) return detail::while_pulled_back(scope, of, cotangents, wanted);
    return detail::scan_pull_back(scope, of, cotangents, wanted).run();
}

} // namespace tx::ad
