// Forward mode: each node's change for a small step of the sources, node after node in program order.
#pragma once

#include <tracexpr/ad/reverse.hpp>

namespace tx::ad {

class forward_pass {
public:
    constexpr forward_pass(trace_scope& scope, table_view<node_id> sources)
        : scope_{scope}, graph_{scope.recorded}, active_(graph_, sources), tangent_(graph_.size()) {}

    // The step of a source.
    constexpr void set(node_id source, value const& step) { tangent_[index(source)] = step; }
    constexpr void run(table_view<node_id> targets) {
        buffer<bool> const needed = needed_for(targets);
        for (std::size_t i = 0; i < active_.size(); ++i)
            if (!needed[i] || !active_[to_id(i)] || !tangent_[i].is_zero()) continue;
            else if (graph_[to_id(i)].code == op::custom_derivative) push_custom({graph_, to_id(i)});
            else tangent_[i] = pushed_forward(to_id(i));
    }
    // Of a node that was in the graph when the pass was made; zero where it doesn't change.
    constexpr value tangent(node_id of) const { return tangent_[index(of)]; }

private:
    // A graph under construction has more: what other derivatives at the same point, or examples of a batch, have left behind.
    constexpr buffer<bool> needed_for(table_view<node_id> targets) const {
        buffer<bool> needed(active_.size());
        for (node_id const id : targets) needed[index(id)] = true;
        for (std::size_t i = active_.size(); i-- > 0;) {
            if (!needed[i] || !active_[to_id(i)]) continue;
            node const& n = graph_[to_id(i)];
            for (std::size_t k = 0; k < n.arity; ++k) needed[index(graph_.operand(n, k))] = true;
        }
        return needed;
    }
    constexpr value pushed_forward(node_id id) {
        site const n(graph_, id);
        std::size_t const count = value_operands(n.y.get());
        kind const k = info(n.code()).kind;
        if (k == kind::marker) return count ? tangent_of(n, 0) : value{};
        if (k == kind::pointwise) {
            value sum;
            for (std::size_t operand = 0; operand < count; ++operand) sum = sum + times_partial(n, operand, tangent_of(n, operand));
            return broadcast_like(sum, n.y);
        }
        buffer<value> steps;
        bool any = false;
        for (std::size_t operand = 0; operand < count; ++operand) {
            steps.push_back(tangent_of(n, operand));
            any = any || !steps.back().is_zero();
        }
        return any ? array_pushed_forward(n, {steps.data(), steps.size()}) : value{};
    }
    constexpr void push_custom(site const& n) {
        tx::detail::custom_rule const& rule = custom_rule_of(scope_, n);
        buffer<node_id> tangents;
        for (node_id const in : rule.inputs) {
            value const t = active_[in] ? tangent_[index(in)] : value{};
            tangents.push_back(t.is_zero() ? zeros_like({graph_, in}).id() : t.id());
        }
        buffer<node_id> const pushed = rule.push_forward(tangents);
        for (std::size_t k = 0; k < rule.outputs.size(); ++k)
            if (pushed[k] != node_id::none) tangent_[index(rule.outputs[k])] = {graph_, pushed[k]};
    }
    constexpr value tangent_of(site const& n, std::size_t operand) const {
        node_id const id = n.y.operand(operand).id();
        return active_[id] ? tangent_[index(id)] : value{};
    }

    trace_scope& scope_;
    graph& graph_;
    active_nodes active_;
    buffer<value> tangent_;
};

} // namespace tx::ad
