// This file holds derivatives as functions of nodes, and the derivatives of what a checkpoint records.
#pragma once

#include <tracexpr/ad/recomputation.hpp>

#include <algorithm>

namespace tx::ad {
namespace detail {

// While one of these exists, derivatives are recorded. A tape runs its derivatives separately, after what it has recorded, so
// their effects are ordered among themselves only.
class derivative_effects {
public:
    constexpr explicit derivative_effects(trace_scope& scope) : scope_{scope}, seen_{scope.token} {
        if (scope_.leaf) scope_.token = scope_.derived_token;
    }
    derivative_effects(derivative_effects const&) = delete;
    derivative_effects& operator=(derivative_effects const&) = delete;
    constexpr ~derivative_effects() {
        if (scope_.leaf) scope_.derived_token = scope_.token, scope_.token = seen_;
    }

private:
    trace_scope& scope_;
    node_id seen_;
};

constexpr buffer<node_id> gradients_here(trace_scope& scope, table_view<node_id> sources, table_view<node_id> targets,
                                         table_view<node_id> cotangents, table_view<node_id> wanted, table_view<bool> recorded,
                                         effects_between const& effects) {
    reverse_pass pass(scope, sources, recorded, effects);
    derivative_effects const own(scope);
    for (std::size_t k = 0; k < targets.size(); ++k)
        if (cotangents[k] != node_id::none) pass.add(targets[k], {scope.recorded, cotangents[k]});
    pass.run();
    buffer<node_id> out;
    for (node_id const id : wanted) out.push_back(id == node_id::none ? id : pass.gradient(id).id());
    return out;
}
constexpr buffer<node_id> gradients_here(trace_scope& scope, table_view<node_id> sources, table_view<node_id> targets,
                                         table_view<node_id> cotangents, table_view<node_id> wanted, table_view<bool> recorded) {
    return gradients_here(scope, sources, targets, cotangents, wanted, recorded,
                          effects_between::sources_and_now(scope, sources));
}
constexpr buffer<node_id> tangents_here(trace_scope& scope, table_view<node_id> sources, table_view<node_id> steps,
                                        table_view<node_id> targets, table_view<bool> recorded, effects_between const& effects) {
    forward_pass pass(scope, sources, false, recorded, effects);
    derivative_effects const own(scope);
    for (std::size_t k = 0; k < sources.size(); ++k) pass.set(sources[k], {scope.recorded, steps[k]});
    pass.run(targets);
    buffer<node_id> out;
    for (node_id const id : targets) out.push_back(pass.tangent(id).id());
    return out;
}
constexpr buffer<node_id> tangents_here(trace_scope& scope, table_view<node_id> sources, table_view<node_id> steps,
                                        table_view<node_id> targets, table_view<bool> recorded) {
    return tangents_here(scope, sources, steps, targets, recorded, effects_between::sources_and_now(scope, sources));
}
// `effects` tells where collectives count; without it, they count between `from` and now.
constexpr buffer<node_id> cotangents_here(trace_scope& scope, table_view<node_id> from, table_view<node_id> to,
                                          table_view<node_id> given, effects_between const* effects = nullptr) {
    graph& g = scope.recorded;
    auto const or_none = [&](node_id id) { return id != node_id::none && is_inexact(g[id].type) ? id : node_id::none; };
    buffer<node_id> sources, wanted, cotangents;
    for (node_id const id : from) {
        wanted.push_back(or_none(id));
        if (wanted.back() != node_id::none) sources.push_back(id);
    }
    for (std::size_t k = 0; k < to.size(); ++k) cotangents.push_back(or_none(to[k]) == node_id::none ? node_id::none : given[k]);
    return gradients_here(scope, sources, to, cotangents, wanted, {},
                          effects ? *effects : effects_between::sources_and_now(scope, sources));
}

constexpr buffer<node_id> inputs_here(trace_scope& scope, table_view<node_id> given, table_view<node_id> results,
                                      std::size_t first) {
    graph& g = scope.recorded;
    auto const is_outside = [&](node_id id) {
        op const code = g[id].code;
        return index(id) < first || code == op::capture || code == op::parameter;
    };
    buffer<node_id> out(given);
    buffer<bool> further = tx::detail::needed_of(scope, results, is_outside);
    for (node_id const id : out) further[index(id)] = false;
    for (std::size_t i = 0; i < further.size(); ++i)
        if (further[i] && g[to_id(i)].type != dtype::token && is_outside(to_id(i)) && repeated_literal({g, to_id(i)}).is_zero())
            out.push_back(to_id(i));
    return out;
}

} // namespace detail

// checkpoint_rule is the rule for the part of the graph that a callable recorded. Reverse mode records that part again, with its
// inputs behind a barrier that waits for the cotangents, and passes the cotangents back through the copy.
class checkpoint_rule final : public tx::detail::custom_rule {
public:
    constexpr explicit checkpoint_rule(trace_scope& scope) : scope_{scope} {}
    constexpr ~checkpoint_rule() override {} // g++ 12 uses the implicit destructor before it defines it.

    constexpr buffer<node_id> pull_back(table_view<node_id> cotangents, table_view<bool> wanted) const override {
        graph& g = scope_.recorded;
        std::size_t const begin = g.size();
        std::size_t first = begin;
        for (node_id const in : inputs) first = std::min(first, index(in));
        auto* const again = scope_.own(new recomputation_pass(scope_, first, *this));
        buffer<node_id> from, to;
        for (std::size_t k = 0; k < inputs.size(); ++k) {
            node_id const in = inputs[k], operands[]{in, cotangents[0]};
            bool const is_fixed = !is_inexact(g[in].type);
            node_id const now = is_fixed ? in : g.append(op::barrier, g[in].type, dims(g.shape_of(in)), operands);
            again->replace(in, {now});
            from.push_back(wanted[k] ? now : node_id::none);
        }
        buffer<node_id> targets = values();
        for (node_id const id : again->collectives()) targets.push_back(id);
        again->run(targets);
        for (node_id const id : values()) to.push_back((*again)[id].id);
        effects_between const recomputed{scope_.token, scope_.token, begin, g.size()};
        return detail::cotangents_here(scope_, from, to, cotangents, &recomputed);
    }
    constexpr buffer<node_id> push_forward(table_view<node_id> tangents) const override {
        is_read = true;
        effects_between own;
        if (token_after != node_id::none)
            own = {token_after, token_before, token_before == node_id::none ? 0 : index(token_before), index(outputs[0])};
        return detail::tangents_here(scope_, inputs, tangents, values(), {}, own);
    }

private:
    // Gives the values that the outputs stand for.
    constexpr buffer<node_id> values() const {
        buffer<node_id> out;
        for (node_id const id : outputs) out.push_back(scope_.recorded.operand(scope_.recorded[id], 0));
        return out;
    }

    trace_scope& scope_;
};

namespace detail {
constexpr buffer<node_id> checkpointed_here(trace_scope& scope, table_view<node_id> inputs, table_view<node_id> values,
                                            std::size_t first) {
    return append_ruled(scope, new checkpoint_rule(scope), buffer<node_id>(inputs), inputs.size(), values, first);
}
} // namespace detail

} // namespace tx::ad
