// This file holds reverse mode: from the targets backwards, each node's gradient is passed on to its operands. The derivative is
// appended to the same graph, so it shares the values of the forward pass, and nothing is computed for nodes from which no path
// leads to a source.
#pragma once

#include <tracexpr/ad/branch_scope.hpp>
#include <tracexpr/ad/callbacks.hpp>
#include <tracexpr/ad/collective_rules.hpp>
#include <tracexpr/ad/masks.hpp>
#include <tracexpr/ad/routine_rules.hpp>

namespace tx::ad {

// active_nodes holds the nodes among a graph's first ones that change, as far as derivatives tell, when a source does. `recorded`
// holds the nodes through which derivatives are followed; if it is empty, all are. `collectives` holds the nodes that take part
// in collectives, which are always active: their results change with the operands of other ranks.
class active_nodes {
public:
    constexpr active_nodes(graph const& g, table_view<node_id> sources, table_view<bool> recorded, table_view<bool> collectives)
        : active_(collectives), is_source_(g.size()) {
        bool* const active = active_.data();
        for (node_id const id : sources) active[index(id)] = is_source_[index(id)] = true;
        graph_view const view = g.view();
        for (std::size_t i = 0; i < g.size(); ++i) {
            node const& n = view.nodes[i];
            if (!recorded.empty() && (i >= recorded.size() || !recorded[i])) continue;
            if (active[i] || !may_have_derivative(n) || is_locally_constant(n.code)) continue;
            for (std::size_t k = 0, count = differentiable_operands(n); k < count && !active[i]; ++k)
                active[i] = active[index(view.operand(n, k))];
        }
    }
    constexpr bool operator[](node_id id) const { return active_[index(id)]; }
    constexpr std::size_t size() const { return active_.size(); }
    constexpr table_view<bool> all() const { return active_; }
    // Gives the op whose derivatives stand for a node's: log(a / b) and a * (1 / b) are differentiated as one op.
    constexpr site site_of(graph& g, node_id id) const {
        site n(g, id);
        if (n.can_split() && !is_source_[index(n.a.id())]) n.split();
        value const r = n.reciprocal();
        bool const is_lost = !r.is_zero() && !active_[index(r.id())] && active_[index(r.operand(1).id())];
        if (!r.is_zero() && !is_source_[index(r.id())] && !is_lost) n.divide(r);
        return n;
    }

private:
    buffer<bool> active_, is_source_;
};

[[noreturn]] inline void throw_lost_rule() {
    throw trace_error("tx: grad: the custom derivative of a function that was traced on its own, or is called in a branch of "
                      "tx::cond or in a loop, is "
                      "not known here; call the function's callable instead, or have cond or the loop in the callable with the "
                      "custom derivative");
}
constexpr tx::detail::custom_rule const& custom_rule_of(trace_scope& scope, site const& n) {
    tx::detail::custom_rule const* const rule = scope.rule_of(n.y.id());
    if (!rule) throw_lost_rule();
    return *rule;
}

[[noreturn]] inline void throw_captured() {
    throw trace_error(
        "tx: custom_gradient, custom_jvp: the callable must capture nothing that is differentiated for, because its "
        "derivative says nothing of that; pass it as an argument");
}

// Gives the gradients of those operands of a node with branches that are wanted, for the gradients of its results. The predicate
// is left out of the operands.
constexpr buffer<value> branches_pulled_back(trace_scope& scope, node_id of, table_view<value> cotangents,
                                             table_view<bool> wanted);
// Gives the gradients of those operands of a loop that are wanted, for the gradients of its results.
constexpr buffer<value> loops_pulled_back(trace_scope& scope, node_id of, table_view<value> cotangents, table_view<bool> wanted);

class reverse_pass {
public:
    // `recorded` is that of active_nodes.
    constexpr reverse_pass(trace_scope& scope, table_view<node_id> sources, table_view<bool> recorded = {})
        : reverse_pass(scope, sources, recorded, effects_between::sources_and_now(scope, sources)) {}
    // `effects` tells where collectives count.
    constexpr reverse_pass(trace_scope& scope, table_view<node_id> sources, table_view<bool> recorded,
                           effects_between const& effects)
        : scope_{scope}, graph_{scope.recorded}, collectives_(collectives_within(scope, effects)),
          active_(graph_, sources, recorded, collectives_), gradient_(graph_.size()) {}

    // Adds `more` to the gradient of a node that was in the graph when the pass was made.
    constexpr void add(node_id to, value const& more) {
        mask live = detail::masked(more).by;
        if (!live.is_everywhere() && live.condition.rank() != 0 && live.condition.shape() != more.shape()) live = {};
        if (!live.is_everywhere()) live.is_extreme = true, find_singular();
        add(to, more, live);
    }
    constexpr void run() {
        if (__builtin_is_constant_evaluated()) pass_all_on();
        else run_now();
    }
    // Gives the targets' gradient with respect to a node; it is zero where no target depends on the node.
    constexpr value gradient(node_id of) const { return gradient_[index(of)]; }

private:
    template <class Unused = void> void run_now();
    constexpr void pass_all_on() {
        for (std::size_t i = active_.size(); i-- > 0;)
            if (!gradient_[i].is_zero() || collectives_[i]) pass_on(to_id(i));
    }
    constexpr void add(node_id to, value const& more, mask const& live) {
        if (more.is_zero() || !active_[to]) return;
        note(to, live);
        value& sum = gradient_[index(to)];
        detail::masked const a(sum), b(more);
        sum = a.is_mask() && b.is_mask() && a.by == b.by ? a.by.around(a.inside + b.inside) : total(sum, more);
    }
    constexpr void find_singular() {
        if (singular_.are_known()) return;
        singular_ = {graph_.view(), active_.all()};
        live_ = buffer<mask>(active_.size());
    }
    // Notes that what is added next to a node's gradient is 0 except where a mask holds.
    constexpr void note(node_id to, mask const& live) {
        if (!singular_.are_known()) return;
        mask& known = live_[index(to)];
        known = gradient_[index(to)].is_zero() ? live : detail::either(known, live);
    }
    constexpr mask live(node_id id) const { return singular_.are_known() ? live_[index(id)] : mask{}; }
    // Gives the mask of the gradient that node n passes on to operand k, if singular slopes follow; otherwise it is everywhere.
    constexpr mask passed_mask(site const& n, std::size_t k) {
        node_id const to = n.operand(k).id();
        bool const chooses = n.code() == op::where || n.code() == op::maximum || n.code() == op::minimum;
        if (!chooses && live(n.y.id()).is_everywhere()) return {};
        find_singular();
        if (!singular_.ahead(to)) return {};
        mask given = live(n.y.id());
        if (chooses && (given.is_everywhere() || given.is_extreme || n.code() == op::where)) {
            mask chosen = detail::chosen_operand(n, k);
            bool const fits = chosen.condition.rank() == 0 || (n.code() == op::where && singular_.same_shape(n.a, n.y));
            if (!fits) chosen.condition = broadcast_like(chosen.condition, n.y);
            given = detail::both(given.is_extreme ? mask{} : given, chosen);
        }
        return detail::mask_pulled_back(n, k, given, singular_.same_shape(n.operand(k), n.y));
    }
    constexpr value pulled_back(site const& n, std::size_t k, value const& g, mask const& passed) const {
        bool const is_pointwise = info(n.code()).kind == kind::pointwise,
                   is_decomposition = info(n.code()).kind == kind::decomposition,
                   is_routine = info(n.code()).kind == kind::routine;
        value const out = is_pointwise       ? detail::pulled_back_inside(n, k, g)
                          : is_decomposition ? decomposition_pulled_back(n, k, cotangents_of(n, g))
                          : is_routine       ? routine_pulled_back(n, k, cotangents_of(n, g))
                                             : array_pulled_back(n, k, g);
        if (!singular_.are_known() || !singular_.here(n.y.id())) return out;
        if (!is_pointwise) return out.is_zero() ? out : passed.around(out);
        mask const m = live(n.y.id());
        return out.is_zero() || detail::is_masked_by(g, m) ? out : m.around(out);
    }
    constexpr void pass_on(node_id id) {
        site const n = active_.site_of(graph_, id);
        value const g = gradient_[index(id)];
        kind const k = info(n.code()).kind;
        if (n.code() == op::custom_derivative) return pass_on_custom(n);
        if (k == kind::projection) return pass_on_result(n);
        if (k == kind::control) return pass_on_branches(n, g);
        if (n.code() == op::collective) return pass_on_collective(n, g);
        if (k == kind::callback) return pass_on_call(n, g);
        for (std::size_t operand = 0, count = n.differentiable(); operand < count; ++operand) {
            value const to = n.operand(operand);
            if (!active_[to.id()]) continue;
            mask const passed = passed_mask(n, operand);
            if (reads_parts(n.code())) {
                note(to.id(), passed);
                gradient_[index(to.id())] = read_back(n, g, gradient_[index(to.id())]);
            } else if (n.code() == op::subtract && operand == 1 && !detail::masked(g).is_mask()) {
                add(to.id(), -sum_to(broadcast_like(g, n.y), to), passed); // This negates fewer elements.
            } else if (k == kind::pointwise) {
                value const pulled = pulled_back(n, operand, g, passed);
                bool const fits = !passed.is_everywhere() && singular_.same_shape(to, n.y);
                add(to.id(), fits ? pulled : sum_to(broadcast_like(pulled, n.y), to), passed);
            } else {
                add(to.id(), passes_on(n.code()) ? g : pulled_back(n, operand, g, passed), passed);
            }
        }
    }

    // Leaves the gradient of a result to its node, which passes on those of all its results.
    constexpr void pass_on_result(site const& n) {
        further_.push_back(n.y.id());
        note(n.a.id(), detail::any_of(live(n.y.id())));
        value& started = gradient_[index(n.a.id())];
        if (started.is_zero()) started = zeros_like(n.a);
    }
    constexpr buffer<value> cotangents_of(site const& n, value const& first) const {
        graph_view const g = graph_.view();
        buffer<value> out(result_count(g, n.y.get()));
        if (!first.is_zero() && is_inexact(first.type()) && !is_literal(first, 0)) out[0] = first;
        for (node_id const id : further_)
            if (g.operand(g[id], 0) == n.y.id()) out[result_number(g, g[id])] = gradient_[index(id)];
        return out;
    }
    constexpr void pass_on_branches(site const& n, value const& g) {
        bool const loops = is_loop(n.code());
        std::size_t const first = loops ? 0 : 1;
        buffer<bool> wanted;
        for (std::size_t k = first; k < n.differentiable(); ++k) {
            value const x = n.operand(k);
            wanted.push_back(active_[x.id()] && is_inexact(x.type()));
        }
        buffer<value> const given = cotangents_of(n, g);
        // It is assigned because g++ 12 loses a conditional expression's temporaries where constant evaluations nest.
        buffer<value> passed;
        if (loops) passed = loops_pulled_back(scope_, n.y.id(), given, wanted);
        else passed = branches_pulled_back(scope_, n.y.id(), given, wanted);
        mask const any = collectives_[index(n.y.id())] ? mask{} : detail::any_of(live(n.y.id())); // Other ranks may pass some on.
        for (std::size_t k = 0; k < passed.size(); ++k)
            if (wanted[k] && !passed[k].is_zero()) add(n.operand(k + first).id(), any.around(passed[k]), any);
    }

    // A collective's gradient is recorded in its order among all effects, even where nothing on this rank depends on its result.
    constexpr void pass_on_collective(site const& n, value const& g) {
        if (tx::detail::is_of_begun(graph_.view(), n.y.get())) throw_begun_derivative();
        value const given = cotangents_of(n, g)[1];
        if (given.is_zero() && !collectives_[index(n.y.id())]) return;
        node_id const to = graph_.view().operand_of_many(n.y.get(), tx::detail::collective_operands::input);
        add(to, collective_derivative(scope_, n.y.id()).pulled_back(given), {});
    }
    constexpr void pass_on_call(site const& n, value const& g) {
        buffer<value> const passed = callback_derivative(graph_, n.y.id()).pulled_back(cotangents_of(n, g));
        mask const any = detail::any_of(live(n.y.id()));
        for (std::size_t k = 0; k < passed.size(); ++k)
            if (!passed[k].is_zero()) add(n.operand(k).id(), any.around(passed[k]), any);
    }

    // A rule's outputs stand side by side, so the rule is asked at the first one, when the gradients of the others are known.
    constexpr void pass_on_custom(site const& n) {
        if (stands_for_first_operand(scope_, n.y.id())) return add(n.a.id(), gradient_[index(n.y.id())], live(n.y.id()));
        tx::detail::custom_rule const& rule = custom_rule_of(scope_, n);
        node_id const first = rule.outputs[0];
        if (n.y.id() != first) {
            note(first, detail::any_of(live(n.y.id())));
            value& started = gradient_[index(first)];
            if (started.is_zero()) started = zeros_like({graph_, first});
            return;
        }
        buffer<node_id> cotangents;
        for (node_id const out : rule.outputs) {
            value const g = gradient_[index(out)];
            mask const m = live(out);
            cotangents.push_back((g.is_zero() ? zeros_like({graph_, out}) : detail::is_masked_by(g, m) ? g : m.around(g)).id());
        }
        buffer<bool> wanted;
        for (node_id const in : rule.inputs) {
            if (active_[in] && wanted.size() >= rule.known) throw_captured();
            wanted.push_back(active_[in]);
        }
        buffer<node_id> const passed = rule.pull_back(cotangents, wanted);
        mask const any = rule.has_collectives ? mask{} : detail::any_of(live(first));
        for (std::size_t k = 0; k < rule.known; ++k)
            if (passed[k] != node_id::none) add(rule.inputs[k], any.around({graph_, passed[k]}), any);
    }

    trace_scope& scope_;
    graph& graph_;
    buffer<bool> collectives_; // nodes that take part in collectives; they pass gradients on whether they have one or not
    active_nodes active_;
    buffer<value> gradient_;
    singular_nodes singular_; // filled when the first mask is met
    buffer<mask> live_;       // filled then, too: where each gradient may differ from 0
    buffer<node_id> further_; // results with a gradient that are not a node's first
};
constexpr buffer<value> branches_pulled_back(trace_scope& scope, node_id of, table_view<value> cotangents,
                                             table_view<bool> wanted) {
    graph& g = scope.recorded;
    buffer<node_id> operands = detail::value_operands_of(g, of);
    std::size_t const values = wanted.size();
    buffer<value> given;
    for (value const& c : cotangents)
        if (!c.is_zero()) given.push_back(c), operands.push_back(c.id());
    buffer<value> out(values);
    std::size_t count = 0;
    for (std::size_t k = 0; k < values; ++k) count += wanted[k];
    if ((count == 0 || given.empty()) && !has_collectives(g.view(), g[of])) return out;
    node_id const derived = detail::derived_branches(scope, of, operands, [&](branch_copy& copy) {
        buffer<node_id> sources, results, passed;
        for (std::size_t k = 0; k < values; ++k)
            if (wanted[k]) sources.push_back(copy.parameters[k]);
        for (value const& c : given) passed.push_back(detail::parameter_for(copy, c));
        reverse_pass pass(copy, sources);
        std::size_t next = 0;
        for (std::size_t k = 0; k < cotangents.size(); ++k)
            if (!cotangents[k].is_zero()) pass.add(copy.results[k], copy.at(passed[next++]));
        pass.run();
        for (node_id const id : sources) results.push_back(detail::or_zeros(copy, pass.gradient(id), id));
        return results;
    });
    std::size_t next = 0;
    for (std::size_t k = 0; k < values; ++k)
        if (wanted[k]) out[k] = {g, append_result(g, derived, next++)};
    return out;
}

template <class Unused> void reverse_pass::run_now() { pass_all_on(); }
TRACEXPR_INSTANCE(void reverse_pass::run_now<void>())

} // namespace tx::ad

#include <tracexpr/ad/reverse_loops.hpp>
