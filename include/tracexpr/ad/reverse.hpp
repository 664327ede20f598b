// Reverse mode: from a target backwards, each node's gradient is passed on to its operands. What it needs is appended to the same
// graph, so values of the forward pass are shared and nothing is computed for nodes between which and a source no path leads.
#pragma once

#include <tracexpr/ad/array_rules.hpp>

namespace tx::ad {

// Which of a graph's first nodes change when a source does, as far as derivatives tell.
class active_nodes {
public:
    constexpr active_nodes(graph const& g, table_view<node_id> sources) : active_(g.size()), is_source_(g.size()) {
        bool* const active = active_.data();
        for (node_id const id : sources) active[index(id)] = is_source_[index(id)] = true;
        graph_view const view = g.view();
        for (std::size_t i = 0; i < g.size(); ++i) {
            node const& n = view.nodes[i];
            if (active[i] || !is_inexact(n.type) || is_locally_constant(n.code)) continue;
            for (std::size_t k = 0, count = differentiable_operands(n); k < count && !active[i]; ++k)
                active[i] = active[index(view.operand(n, k))];
        }
    }
    constexpr bool operator[](node_id id) const { return active_[index(id)]; }
    constexpr std::size_t size() const { return active_.size(); }
    // The op whose derivatives stand for a node's.
    constexpr site site_of(graph& g, node_id id) const {
        site n(g, id);
        if (n.can_split() && !is_source_[index(n.a.id())]) n.split();
        if (value const r = n.reciprocal(); !r.is_zero() && !is_source_[index(r.id())]) n.divide(r);
        return n;
    }

private:
    buffer<bool> active_, is_source_;
};

namespace detail {
// x where a condition holds (or doesn't), else 0: the form in which `where` hands a gradient to its branches.
struct masked {
    value condition, inside;
    bool holds = true;
    constexpr explicit masked(value const& x) {
        if (x.is_zero() || x.code() != op::where) return;
        if (is_literal(x.operand(2), 0)) condition = x.operand(0), inside = x.operand(1);
        else if (is_literal(x.operand(1), 0)) condition = x.operand(0), inside = x.operand(2), holds = false;
    }
    constexpr bool is_mask() const { return !condition.is_zero(); }
    constexpr value around(value const& x) const { return holds ? where(condition, x, value{}) : where(condition, value{}, x); }
    constexpr bool same_mask(masked const& other) const {
        return is_mask() && other.is_mask() && holds == other.holds && condition.id() == other.condition.id();
    }
};

// What is masked stays masked, so that no infinite slope in a branch not taken meets the 0 (0 * inf is NaN).
constexpr value pulled_back_inside(site const& n, std::size_t k, value const& g) {
    masked const m(g);
    return m.is_mask() ? m.around(pulled_back_inside(n, k, m.inside)) : pulled_back(n, k, g);
}
} // namespace detail

[[noreturn]] inline void throw_lost_rule() {
    throw trace_error(
        "tx: grad: the custom derivative of a function that was traced on its own is not known here; call its callable instead");
}
constexpr tx::detail::custom_rule const& custom_rule_of(trace_scope& scope, site const& n) {
    tx::detail::custom_rule const* const rule = scope.rule_of(n.y.id());
    if (!rule) throw_lost_rule();
    return *rule;
}

class reverse_pass {
public:
    constexpr reverse_pass(trace_scope& scope, table_view<node_id> sources)
        : scope_{scope}, graph_{scope.recorded}, active_(graph_, sources), gradient_(graph_.size()) {}

    // Adds to the gradient of a node that was in the graph when the pass was made.
    constexpr void add(node_id to, value const& more) {
        if (more.is_zero() || !active_[to]) return;
        value& sum = gradient_[index(to)];
        detail::masked const a(sum), b(more);
        sum = a.same_mask(b) ? a.around(a.inside + b.inside) : total(sum, more);
    }
    constexpr void run() {
        if (std::is_constant_evaluated()) pass_all_on();
        else run_now();
    }
    // Of the target with respect to a node; zero where none depends on it.
    constexpr value gradient(node_id of) const { return gradient_[index(of)]; }

private:
    template <class Unused = void> void run_now();
    constexpr void pass_all_on() {
        for (std::size_t i = active_.size(); i-- > 0;)
            if (!gradient_[i].is_zero()) pass_on(to_id(i));
    }
    constexpr void pass_on(node_id id) {
        site const n = active_.site_of(graph_, id);
        value const g = gradient_[index(id)];
        kind const k = info(n.code()).kind;
        if (n.code() == op::custom_derivative) return pass_on_custom(n);
        if (reads_parts(n.code())) {
            value& known = gradient_[index(n.a.id())];
            if (active_[n.a.id()]) known = read_back(n, g, known);
            return;
        }
        for (std::size_t operand = 0, count = n.differentiable(); operand < count; ++operand) {
            value const to = n.operand(operand);
            if (!active_[to.id()]) continue;
            if (n.code() == op::subtract && operand == 1 && !detail::masked(g).is_mask())
                add(to.id(), -sum_to(broadcast_like(g, n.y), to)); // less to negate
            else if (k == kind::pointwise)
                add(to.id(), sum_to(broadcast_like(detail::pulled_back_inside(n, operand, g), n.y), to));
            else if (k == kind::marker) add(to.id(), g);
            else add(to.id(), array_pulled_back(n, operand, g));
        }
    }

    // Its outputs stand side by side: the rule is asked at the first, when the others' gradients are known.
    constexpr void pass_on_custom(site const& n) {
        tx::detail::custom_rule const& rule = custom_rule_of(scope_, n);
        node_id const first = rule.outputs[0];
        if (n.y.id() != first) {
            value& started = gradient_[index(first)];
            if (started.is_zero()) started = zeros_like({graph_, first});
            return;
        }
        buffer<node_id> cotangents;
        for (node_id const out : rule.outputs) {
            value const g = gradient_[index(out)];
            cotangents.push_back(g.is_zero() ? zeros_like({graph_, out}).id() : g.id());
        }
        buffer<node_id> const passed = rule.pull_back(cotangents);
        for (std::size_t k = 0; k < rule.inputs.size(); ++k)
            if (passed[k] != node_id::none) add(rule.inputs[k], {graph_, passed[k]});
    }

    trace_scope& scope_;
    graph& graph_;
    active_nodes active_;
    buffer<value> gradient_;
};
template <class Unused> void reverse_pass::run_now() { pass_all_on(); }
TRACEXPR_INSTANCE(void reverse_pass::run_now<void>())

} // namespace tx::ad
