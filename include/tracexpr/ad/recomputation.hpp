// This file records the part of the graph that a checkpoint computes again for its derivatives. Effects happen once: the copy
// uses the results of the first time, and only the derivatives of these results go on from the operands that were computed again.
#pragma once

#include <tracexpr/ad/forward.hpp>
#include <tracexpr/ad/replay.hpp>

namespace tx::ad {

// effect_rule is a custom rule for a node with effects: it has the derivatives of the node's results in its operands that are
// values.
class effect_rule final : public tx::detail::custom_rule {
public:
    constexpr effect_rule(trace_scope& scope, node_id of) : scope_{scope}, graph_{scope.recorded}, of_{of} {
        graph& g = graph_;
        for (std::size_t k = 0, count = value_operands(g[of]); k < count; ++k) inputs.push_back(g.operand(g[of], k));
        known = inputs.size();
        has_collectives = tx::detail::has_collectives(g, g[of]);
        for (std::size_t k = 0, count = result_count(g.view(), g[of]); k < count; ++k) {
            if (!is_inexact(result_spec(g.view(), g[of], k).type)) continue;
            numbers_.push_back(k), outputs.push_back(append_result(g, of, k));
        }
    }
    constexpr ~effect_rule() override {} // g++ 12 uses the implicit destructor before it defines it.

    constexpr buffer<node_id> pull_back(table_view<node_id> cotangents, table_view<bool> wanted) const override {
        buffer<value> given(result_count(graph_.view(), graph_[of_])), passed;
        for (std::size_t k = 0; k < numbers_.size(); ++k) given[numbers_[k]] = {graph_, cotangents[k]};
        buffer<bool> asked;
        for (std::size_t k = first(); k < inputs.size(); ++k) asked.push_back(wanted[k] && is_inexact(graph_[inputs[k]].type));
        if (graph_[of_].code == op::collective) {
            passed = buffer<value>(inputs.size());
            passed[tx::detail::collective_operands::input] = collective_derivative(scope_, of_).pulled_back(given[1]);
        } else if (is_callback(graph_[of_])) passed = callback_derivative(graph_, of_).pulled_back(given);
        else if (is_loop(graph_[of_].code)) passed = loops_pulled_back(scope_, of_, given, asked);
        else passed = branches_pulled_back(scope_, of_, given, asked);
        buffer<node_id> out(inputs.size(), node_id::none);
        for (std::size_t k = 0; k < asked.size(); ++k)
            if (asked[k]) out[first() + k] = passed[k].id();
        return out;
    }
    constexpr buffer<node_id> push_forward(table_view<node_id> tangents) const override {
        buffer<value> given, pushed;
        for (std::size_t k = first(); k < inputs.size(); ++k)
            given.push_back(is_inexact(graph_[inputs[k]].type) ? value(graph_, tangents[k]) : value{});
        if (graph_[of_].code == op::collective) {
            pushed = buffer<value>(2);
            pushed[1] = collective_derivative(scope_, of_).pushed_forward(given[tx::detail::collective_operands::input]);
        } else if (is_callback(graph_[of_])) pushed = callback_derivative(graph_, of_).pushed_forward(given);
        else if (is_loop(graph_[of_].code)) pushed = loops_pushed_forward(scope_, of_, given);
        else pushed = branches_pushed_forward(scope_, of_, given);
        buffer<node_id> out;
        for (std::size_t const k : numbers_) out.push_back(pushed[k].id());
        return out;
    }

private:
    // Gives the number of the first operand that has derivatives; in a cond it is the one behind the predicate.
    constexpr std::size_t first() const { return graph_[of_].code == op::cond ? 1 : 0; }

    trace_scope& scope_;
    graph& graph_;
    node_id of_;
    buffer<std::size_t> numbers_; // the numbers of the results that are outputs
};

// Records what a custom rule was recorded for once more, with other nodes in place of the placeholders, but without repeating
// effects. (It doesn't derive from substitution_pass: see replay_pass::for_output.)
class recomputation_pass final : public replay_pass {
public:
    constexpr recomputation_pass(trace_scope& scope, std::size_t first, tx::detail::custom_rule const& of)
        : replay_pass(scope, first), end_{index(of.outputs[0])} {
        examples_ = end_;
        std::size_t const begin = of.token_before == node_id::none ? first : index(of.token_before);
        if (of.has_collectives) collectives_ = collectives_within(scope, {of.token_after, of.token_before, begin, end_});
    }
    constexpr ~recomputation_pass() override {}
    // Gives the nodes whose derivatives all ranks take part in, whether anything depends on them or not.
    constexpr buffer<node_id> collectives() const {
        buffer<node_id> out;
        for (std::size_t i = 0; i < collectives_.size(); ++i)
            if (collectives_[i]) out.push_back(to_id(i));
        return out;
    }
    constexpr replayed for_output(node_id given) override { return (*this)[given]; }
    constexpr node_id for_input(node_id, node_id given) override { return (*this)[given].id; }

protected:
    constexpr bool differs(node_id id) const override { return is_collective(id) || is_example_with_collectives(id); }
    constexpr replayed record(node_id id) override {
        node const n = graph_[id];
        if (is_example_with_collectives(id)) graph_.stop_sharing();
        bool const is_result = n.code == op::result && index(graph_.operand(n, 0)) < end_;
        if (is_result && has_effect(graph_[graph_.operand(n, 0)])) return {id}; // This result has no derivatives.
        if (index(id) >= end_) return with_replaced_operands(id);               // This node belongs to a derivative.
        if (!has_effect(n)) {
            if (is_collective(id)) graph_.stop_sharing(); // It is a node of its own on every rank.
            return with_replaced_operands(id);
        }
        bool depends = is_collective(id); // Only a change of a value counts, not one of the order of effects.
        for (std::size_t k = 0, count = value_operands(n); k < count; ++k) depends = depends || changes(graph_.operand(n, k));
        if (!is_collective(id) && has_collectives(graph_, n)) depends = false; // A rule within knows its derivative.
        if (!depends || n.type == dtype::token) return {id};
        auto* const rule = scope_.own(new effect_rule(scope_, id));
        buffer<replayed> results;
        for (node_id const result : rule->outputs) results.push_back({result});
        replace_outputs(*rule, results);
        return (*this)[id].id == node_id::none ? replayed{id} : (*this)[id];
    }

private:
    constexpr bool is_collective(node_id id) const { return index(id) < collectives_.size() && collectives_[index(id)]; }

    std::size_t end_; // the end of the nodes that are recorded once more
    buffer<bool> collectives_;
};

} // namespace tx::ad
