// This file holds forward mode: it computes each node's tangent, its change for a small step of the sources, in program order.
#pragma once

#include <tracexpr/ad/reverse.hpp>

namespace tx::ad {

// Gives the tangents of the results of a node with branches, for those of its operands behind the predicate.
constexpr buffer<value> branches_pushed_forward(trace_scope& scope, node_id of, table_view<value> tangents);
constexpr buffer<value> loops_pushed_forward(trace_scope& scope, node_id of, table_view<value> tangents);

class forward_pass {
public:
    // is_one_of_many tells that other passes follow with other steps of the same sources, which share what doesn't depend on the
    // steps. `recorded` is that of active_nodes.
    constexpr forward_pass(trace_scope& scope, table_view<node_id> sources, bool is_one_of_many = false,
                           table_view<bool> recorded = {})
        : forward_pass(scope, sources, is_one_of_many, recorded, effects_between::sources_and_now(scope, sources)) {}
    // `effects` tells where collectives count.
    constexpr forward_pass(trace_scope& scope, table_view<node_id> sources, bool is_one_of_many, table_view<bool> recorded,
                           effects_between const& effects)
        : scope_{scope}, graph_{scope.recorded}, is_one_of_many_{is_one_of_many},
          collectives_(collectives_within(scope, effects)), active_(graph_, sources, recorded, collectives_),
          change_(graph_.size()), step_(graph_.size()) {
        for (node_id const id : sources) make_base(id, {});
    }

    // Sets the step of a source; a source whose step is never set has the step 0.
    constexpr void set(node_id source, value const& step) { step_[index(source)] = step; }
    constexpr void run(table_view<node_id> targets) {
        if (__builtin_is_constant_evaluated()) push_to(targets);
        else run_now(targets);
    }
    // Gives the tangent of a node that was in the graph when the pass was made; it is zero where the node doesn't change.
    constexpr value tangent(node_id of) const {
        change const c = change_[index(of)];
        return c.slope.is_zero() || step_[index(c.base)].is_zero() ? value{} : c.slope * step_[index(c.base)];
    }

private:
    template <class Unused = void> void run_now(table_view<node_id> targets);
    constexpr void push_to(table_view<node_id> targets) {
        buffer<std::uint8_t> const uses = count_uses(targets);
        for (std::size_t i = 0; i < active_.size(); ++i) {
            if (!uses[i] || !active_[to_id(i)] || change_[i].base != node_id::none) continue;
            if (graph_[to_id(i)].code == op::custom_derivative) push_custom({graph_, to_id(i)});
            else push_forward(to_id(i), uses[i] > 1);
        }
    }

    // A node's tangent is slope * step, where the step is that of a base: a source, or the node itself. Along a chain of
    // pointwise ops the slopes are multiplied and the step is left out, because the slopes are the same for all directions and
    // are recorded once for all.
    struct change {
        node_id base = node_id::none;
        value slope; // It is zero where the node doesn't change.
    };
    constexpr void make_base(node_id id, value const& step) {
        step_[index(id)] = step;
        change_[index(id)] = {id, value(graph_, id).like(1)};
    }

    // Counts how many nodes that lead to the targets use each node: 0, 1, or 2 for more; being a target counts as a use. Other
    // nodes don't count: a graph under construction also has nodes of other derivatives at the same point, and of the examples of
    // a batch.
    constexpr buffer<std::uint8_t> count_uses(table_view<node_id> targets) const {
        buffer<std::uint8_t> uses(active_.size());
        auto const use = [&](node_id id) {
            std::uint8_t& count = uses[index(id)];
            if (count < 2) ++count;
        };
        for (node_id const id : targets) use(id);
        for (std::size_t i = active_.size(); i-- > 0;) {
            if (collectives_[i]) use(to_id(i));
            if (!uses[i] || !active_[to_id(i)] || change_[i].base != node_id::none) continue; // A source's step is given.
            site const n = active_.site_of(graph_, to_id(i));
            if (stands_for_first_operand(scope_, to_id(i))) {
                use(n.a.id());
                continue;
            }
            std::size_t const first = n.code() == op::custom_derivative ? 1 : 0; // A rule is given tangents of its inputs only.
            for (std::size_t k = first, count = n.differentiable(); k < count; ++k) use(n.operand(k).id());
        }
        return uses;
    }
    constexpr void push_forward(node_id id, bool is_shared) {
        site const n = active_.site_of(graph_, id);
        std::size_t const count = n.differentiable();
        kind const k = info(n.code()).kind;
        if (k == kind::control) {
            push_branches(n, count);
        } else if (n.code() == op::collective) {
            push_collective(n);
        } else if (k == kind::callback) {
            buffer<value> steps;
            for (std::size_t operand = 0; operand < count; ++operand) steps.push_back(tangent_of(n, operand));
            make_bases(id, callback_derivative(graph_, id).pushed_forward(steps));
        } else if (k == kind::projection) {
            make_base(id, further_tangent(n));
        } else if (passes_on(n.code()) && count) {
            change_[index(id)] = change_of(n, 0);
        } else if (k == kind::pointwise) {
            push_pointwise(n, count, is_shared);
        } else {
            buffer<value> steps;
            bool any = false;
            for (std::size_t operand = 0; operand < count; ++operand) {
                steps.push_back(tangent_of(n, operand));
                any = any || !steps.back().is_zero();
            }
            if (!any) make_base(id, {});
            else if (k == kind::decomposition) make_bases(id, decomposition_pushed_forward(n, steps));
            else if (k == kind::routine) make_bases(id, routine_pushed_forward(n, steps));
            else make_base(id, array_pushed_forward(n, {steps.data(), steps.size()}));
        }
    }
    // Gives the base that the changes of all operands share if the node's change can have it, too. It can't where an op chooses
    // elements: the slope of an element that isn't chosen is 0, which times an infinite step would be NaN.
    constexpr node_id common_base(site const& n, std::size_t count) const {
        dims const shape = n.y.shape();
        if (!has_slope(n) || !shape.is_static()) return node_id::none;
        node_id base = node_id::none;
        for (std::size_t operand = 0; operand < count; ++operand) {
            change const c = change_of(n, operand);
            if (c.base == node_id::none) continue;
            if ((base != node_id::none && base != c.base) || !is_floating(n.operand(operand).type()) ||
                graph_.shape_of(c.base) != shape)
                return node_id::none;
            base = c.base;
        }
        return base;
    }
    static constexpr bool has_slope(site const& n) {
        return is_floating(n.y.type()) && n.code() != op::cast && n.code() != op::where && n.code() != op::maximum &&
               n.code() != op::minimum;
    }
    constexpr void push_pointwise(site const& n, std::size_t count, bool is_shared) {
        node_id const id = n.y.id(), base = common_base(n, count);
        auto const step = [&](std::size_t operand) {
            return base == node_id::none ? tangent_of(n, operand) : change_of(n, operand).slope;
        };
        value sum = n.code() == op::divide ? detail::quotient_change(n, step(0), step(1)) : value{};
        if (sum.is_zero())
            for (std::size_t operand = 0; operand < count; ++operand)
                sum = sum + (base == node_id::none ? pushed_through(n, operand) : times_partial(n, operand, step(operand)));
        if (base == node_id::none) return make_base(id, broadcast_like(sum, n.y));
        change_[index(id)] = {base, sum};
        if (is_shared && !is_one_of_many_) make_base(id, tangent(id));
    }
    // Gives the tangent that one operand contributes. Where passes for other steps follow, slopes are multiplied first, as these
    // passes have the same slopes.
    constexpr value pushed_through(site const& n, std::size_t operand) const {
        change const c = change_of(n, operand);
        if (c.slope.is_zero() || step_[index(c.base)].is_zero()) return {};
        if (is_one_of_many_ && has_slope(n) && is_floating(c.slope.type())) {
            value const slope = times_partial(n, operand, c.slope);
            if (slope.id() != c.slope.id()) return slope * step_[index(c.base)];
        }
        return times_partial(n, operand, tangent_of(n, operand));
    }
    // A collective's tangent is recorded in its order among all effects, even where its operand doesn't change on this rank.
    constexpr void push_collective(site const& n) {
        if (tx::detail::is_of_begun(graph_.view(), n.y.get())) throw_begun_derivative();
        value const step = tangent_of(n, tx::detail::collective_operands::input);
        if (step.is_zero() && !collectives_[index(n.y.id())]) return make_base(n.y.id(), {});
        buffer<value> pushed(2);
        pushed[1] = collective_derivative(scope_, n.y.id()).pushed_forward(step);
        make_bases(n.y.id(), pushed);
    }
    constexpr void push_branches(site const& n, std::size_t count) {
        bool const loops = is_loop(n.code());
        buffer<value> steps;
        for (std::size_t operand = loops ? 0 : 1; operand < count; ++operand) steps.push_back(tangent_of(n, operand));
        if (loops) make_bases(n.y.id(), loops_pushed_forward(scope_, n.y.id(), steps));
        else make_bases(n.y.id(), branches_pushed_forward(scope_, n.y.id(), steps));
    }
    // Stores the tangents of all results of a node.
    constexpr void make_bases(node_id id, table_view<value> pushed) {
        make_base(id, pushed[0]);
        for (std::size_t k = 1; k < pushed.size(); ++k) further_.push_back({id, k, pushed[k]});
    }
    constexpr value further_tangent(site const& n) const {
        for (further const& r : further_)
            if (r.of == n.a.id() && r.number == result_number(graph_.view(), n.y.get())) return r.tangent;
        return {};
    }
    constexpr void push_custom(site const& n) {
        if (stands_for_first_operand(scope_, n.y.id())) return void(change_[index(n.y.id())] = change_of(n, 0));
        tx::detail::custom_rule const& rule = custom_rule_of(scope_, n);
        buffer<node_id> tangents;
        for (node_id const in : rule.inputs) {
            value const t = active_[in] ? tangent(in) : value{};
            if (!t.is_zero() && tangents.size() >= rule.known) throw_captured();
            tangents.push_back(t.is_zero() ? zeros_like({graph_, in}).id() : t.id());
        }
        buffer<node_id> const pushed = rule.push_forward(tangents);
        for (std::size_t k = 0; k < rule.outputs.size(); ++k)
            make_base(rule.outputs[k], pushed[k] == node_id::none ? value{} : value(graph_, pushed[k]));
    }
    constexpr change change_of(site const& n, std::size_t operand) const {
        node_id const id = n.operand(operand).id();
        return active_[id] ? change_[index(id)] : change{};
    }
    constexpr value tangent_of(site const& n, std::size_t operand) const {
        node_id const id = n.operand(operand).id();
        return active_[id] ? tangent(id) : value{};
    }

    // `further` is the tangent of a result that is not its node's first.
    struct further {
        node_id of = node_id::none;
        std::size_t number = 0;
        value tangent;
    };

    trace_scope& scope_;
    graph& graph_;
    bool is_one_of_many_;
    buffer<bool> collectives_; // nodes that take part in collectives; they have tangents whether they change on this rank or not
    active_nodes active_;
    buffer<change> change_;
    buffer<value> step_; // the steps of bases
    buffer<further> further_;
};
constexpr buffer<value> branches_pushed_forward(trace_scope& scope, node_id of, table_view<value> tangents) {
    graph& g = scope.recorded;
    buffer<node_id> operands = detail::value_operands_of(g, of);
    buffer<bool> moves(tangents.size());
    buffer<value> given;
    for (std::size_t k = 0; k < moves.size(); ++k) {
        moves[k] = !tangents[k].is_zero();
        if (moves[k]) given.push_back(tangents[k]), operands.push_back(tangents[k].id());
    }
    buffer<std::size_t> inexact; // the numbers of results that have tangents
    buffer<value> out;
    for (std::size_t k = 0, count = result_count(g.view(), g[of]); k < count; ++k) {
        out.push_back({});
        if (is_inexact(result_spec(g.view(), g[of], k).type)) inexact.push_back(k);
    }
    if ((given.empty() || inexact.empty()) && !has_collectives(g.view(), g[of])) return out;
    node_id const derived = detail::derived_branches(scope, of, operands, [&](branch_copy& copy) {
        buffer<node_id> sources, targets, results, steps;
        for (std::size_t k = 0; k < moves.size(); ++k)
            if (moves[k]) sources.push_back(copy.parameters[k]);
        for (value const& t : given) steps.push_back(detail::parameter_for(copy, t));
        for (std::size_t const k : inexact) targets.push_back(copy.results[k]);
        forward_pass pass(copy, sources);
        for (std::size_t k = 0; k < sources.size(); ++k) pass.set(sources[k], copy.at(steps[k]));
        pass.run(targets);
        for (node_id const id : targets) results.push_back(detail::or_zeros(copy, pass.tangent(id), id));
        return results;
    });
    for (std::size_t k = 0; k < inexact.size(); ++k) out[inexact[k]] = {g, append_result(g, derived, k)};
    return out;
}

template <class Unused> void forward_pass::run_now(table_view<node_id> targets) { push_to(targets); }
TRACEXPR_INSTANCE(void forward_pass::run_now<void>(table_view<node_id>))

} // namespace tx::ad

#include <tracexpr/ad/forward_loops.hpp>
