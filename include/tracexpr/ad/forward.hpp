// Forward mode: each node's change for a small step of the sources, node after node in program order.
#pragma once

#include <tracexpr/ad/reverse.hpp>

namespace tx::ad {

class forward_pass {
public:
    constexpr forward_pass(trace_scope& scope, table_view<node_id> sources)
        : scope_{scope}, graph_{scope.recorded}, active_(graph_, sources), change_(graph_.size()) {}

    // The step of a source.
    constexpr void set(node_id source, value const& step) { change_[index(source)] = {step, {}}; }
    constexpr void run(table_view<node_id> targets) {
        buffer<std::uint8_t> const uses = count_uses(targets);
        for (std::size_t i = 0; i < active_.size(); ++i) {
            if (!uses[i] || !active_[to_id(i)] || !change_[i].is_zero()) continue;
            if (graph_[to_id(i)].code == op::custom_derivative) push_custom({graph_, to_id(i)});
            else change_[i] = pushed_forward(to_id(i));
            if (uses[i] > 1) multiply_out(change_[i]);
        }
    }
    // Of a node that was in the graph when the pass was made; zero where it doesn't change.
    constexpr value tangent(node_id of) {
        multiply_out(change_[index(of)]);
        return change_[index(of)].step;
    }

private:
    // slope * step, the step that of an earlier node. Along a chain of pointwise ops slopes are multiplied and the step is left alone: slopes
    // are the same for all directions, and recorded once for all.
    struct change {
        value step, slope; // no slope: 1
        constexpr bool is_zero() const { return step.is_zero(); }
    };
    static constexpr void multiply_out(change& c) {
        if (!c.is_zero() && !c.slope.is_zero()) c = {c.slope * c.step, {}};
    }

    // 0, 1, or 2 for more: how many nodes that lead to the targets use a node; a target is used once more. A graph under construction has
    // more nodes: what other derivatives at the same point, or examples of a batch, have left behind.
    constexpr buffer<std::uint8_t> count_uses(table_view<node_id> targets) const {
        buffer<std::uint8_t> uses(active_.size());
        auto const use = [&](node_id id) {
            std::uint8_t& count = uses[index(id)];
            if (count < 2) ++count;
        };
        for (node_id const id : targets) use(id);
        for (std::size_t i = active_.size(); i-- > 0;) {
            if (!uses[i] || !active_[to_id(i)]) continue;
            node const& n = graph_[to_id(i)];
            for (std::size_t k = 0, count = differentiable_operands(n); k < count; ++k) use(graph_.operand(n, k));
        }
        return uses;
    }
    constexpr change pushed_forward(node_id id) {
        site const n(graph_, id);
        std::size_t const count = differentiable_operands(n.y.get());
        kind const k = info(n.code()).kind;
        if (k == kind::marker) return count ? change_of(n, 0) : change{};
        if (k == kind::pointwise) return pointwise(n, count);
        buffer<value> steps;
        bool any = false;
        for (std::size_t operand = 0; operand < count; ++operand) {
            steps.push_back(tangent_of(n, operand));
            any = any || !steps.back().is_zero();
        }
        return {any ? array_pushed_forward(n, {steps.data(), steps.size()}) : value{}, {}};
    }
    constexpr change pointwise(site const& n, std::size_t count) {
        node_id step = node_id::none;
        bool one_step = is_floating(n.y.type()) && n.code() != op::cast;
        for (std::size_t operand = 0; operand < count; ++operand) {
            change const c = change_of(n, operand);
            if (c.is_zero()) continue;
            one_step = one_step && is_floating(n.y.operand(operand).type()) && c.step.shape() == n.y.shape() && n.y.shape().is_static() && (step == node_id::none || step == c.step.id());
            step = c.step.id();
        }
        value sum;
        for (std::size_t operand = 0; operand < count; ++operand) {
            change const c = change_of(n, operand);
            if (c.is_zero()) continue;
            sum = sum + times_partial(n, operand, !one_step ? tangent_of(n, operand) : c.slope.is_zero() ? n.y.like(1) : c.slope);
        }
        if (sum.is_zero() || !one_step) return {broadcast_like(sum, n.y), {}};
        return {{graph_, step}, sum};
    }
    constexpr void push_custom(site const& n) {
        tx::detail::custom_rule const& rule = custom_rule_of(scope_, n);
        buffer<node_id> tangents;
        for (node_id const in : rule.inputs) {
            value const t = active_[in] ? tangent(in) : value{};
            tangents.push_back(t.is_zero() ? zeros_like({graph_, in}).id() : t.id());
        }
        buffer<node_id> const pushed = rule.push_forward(tangents);
        for (std::size_t k = 0; k < rule.outputs.size(); ++k)
            if (pushed[k] != node_id::none) change_[index(rule.outputs[k])] = {{graph_, pushed[k]}, {}};
    }
    constexpr change change_of(site const& n, std::size_t operand) const {
        node_id const id = n.y.operand(operand).id();
        return active_[id] ? change_[index(id)] : change{};
    }
    constexpr value tangent_of(site const& n, std::size_t operand) {
        node_id const id = n.y.operand(operand).id();
        return active_[id] ? tangent(id) : value{};
    }

    trace_scope& scope_;
    graph& graph_;
    active_nodes active_;
    buffer<change> change_;
};

} // namespace tx::ad
