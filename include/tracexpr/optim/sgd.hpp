// This file holds gradient descent with momentum.
#pragma once

#include <tracexpr/optim/steps.hpp>

#include <utility>

namespace tx::optim {

// The options of tx::optim::sgd.
struct sgd_options {
    double learning_rate = 0.01;
    double momentum = 0;
    bool nesterov = false;
    double weight_decay = 0; // weight_decay * p is added to the gradient
};

// The state holds in `trace` the decaying sum of gradients, which is 0 without momentum.
template <class Tree> struct sgd_state {
    detail::step_count count;
    Tree trace;
};

namespace detail {

// Records g + weight_decay * p, in this dtype.
TRACEXPR_ONCE constexpr node_id record_decayed_gradient(lowering& low, node_id p, node_id g, node_id weight_decay, dtype type) {
    leaf_nodes on(low);
    return on.add(on.as(g, type), on.multiply(on.as(weight_decay, real_part(type)), on.as(p, type)));
}
// Records the next trace, of {trace, p, g, momentum, weight_decay}.
TRACEXPR_ONCE constexpr node_id record_trace(lowering& low, node_id const* x) {
    leaf_nodes on(low);
    dtype const type = computed_in(low.type(x[0]));
    node_id const decayed_trace = on.multiply(on.as(x[3], real_part(type)), on.as(x[0], type));
    return on.next(on.add(record_decayed_gradient(low, x[1], x[2], x[4], type), decayed_trace), x[0]);
}
// Records a step, of {p, g, rate, weight_decay}.
TRACEXPR_ONCE constexpr node_id record_sgd_step(lowering& low, node_id const* x) {
    leaf_nodes on(low);
    dtype const type = computed_in(low.type(x[0]));
    node_id const step = record_decayed_gradient(low, x[0], x[1], x[3], type);
    return on.next(on.subtract(on.as(x[0], type), on.multiply(on.as(x[2], real_part(type)), step)), x[0]);
}
// Records Nesterov's step, of {p, g, trace, rate, momentum, weight_decay}.
TRACEXPR_ONCE constexpr node_id record_nesterov_step(lowering& low, node_id const* x) {
    leaf_nodes on(low);
    dtype const type = computed_in(low.type(x[0])), real = real_part(type);
    node_id const decayed_trace = on.multiply(on.as(x[4], real), on.as(x[2], type));
    node_id const step = on.add(record_decayed_gradient(low, x[0], x[1], x[5], type), decayed_trace);
    return on.next(on.subtract(on.as(x[0], type), on.multiply(on.as(x[3], real), step)), x[0]);
}
// Records the steps of all leaves, of {parameters, gradients, traces if there is a momentum, count, rates, momentum,
// weight_decay}.
TRACEXPR_ONCE constexpr void record_sgd_steps(lowering& low, node_id const* operands, tree_form const& form, node_id* results) {
    bool const has_momentum = form.flags & step_layout::momentum, is_nesterov = form.flags & step_layout::nesterov;
    step_layout const at(low, operands, form, has_momentum ? 1 : 0);
    for (std::size_t k = 0; k < form.leaves; ++k) {
        node_id const p = at.leaf(0, k), g = at.leaf(1, k), rate = at.rate(p), momentum = at.number(0), decay = at.number(1);
        if (!has_momentum) {
            node_id const step[]{p, g, rate, decay};
            results[k] = record_sgd_step(low, step);
            continue;
        }
        node_id const before[]{at.leaf(2, k), p, g, momentum, decay}, trace = record_trace(low, before);
        node_id const step[]{p, trace, rate, low.literal(0.0)}, nesterov_step[]{p, g, trace, rate, momentum, decay};
        results[k] = is_nesterov ? record_nesterov_step(low, nesterov_step) : record_sgd_step(low, step);
        results[form.leaves + k] = trace;
    }
    results[(has_momentum ? 2 : 1) * form.leaves] = at.next_count();
}

inline namespace TRACEXPR_CALLS {

#if TRACEXPR_TRACES_HERE
template <class O, class G, class Tree, class P>
constexpr Tree next_trace(O const& o, G const& gradients, Tree const& trace, P const& params) {
    return tx::tree_map([&](auto const& t, auto const& g,
                            auto const& p) { return next_kept<leaf_fn<record_trace>>(t, p, g, o.momentum, o.weight_decay); },
                        trace, gradients, params);
}
template <class O, class G, class Tree, class P, class R>
constexpr auto next_sgd(O const& o, G const& gradients, sgd_state<Tree> const& state, P const& params, R const& given_rate) {
    Tree const trace = o.momentum == 0 ? state.trace : next_trace(o, gradients, state.trace, params);
    auto moved = tx::tree_map(
        [&]<class L>(L const& p, auto const& g, auto const& t) {
            require_same_shape(p, g);
            auto const rate = rate_for<leaf_real<L>>(given_rate, state.count);
            if (o.momentum == 0) return next_parameter<leaf_fn<record_sgd_step>>(p, g, rate, o.weight_decay);
            if (o.nesterov) return next_parameter<leaf_fn<record_nesterov_step>>(p, g, t, rate, o.momentum, o.weight_decay);
            return next_parameter<leaf_fn<record_sgd_step>>(p, t, rate, 0.0);
        },
        params, gradients, trace);
    return std::pair(moved, sgd_state<Tree>{kept_as<step_count>(state.count + 1), trace});
}
#else
template <class O, class G, class Tree, class P, class R>
auto next_sgd(O const& o, G const& gradients, sgd_state<Tree> const& state, P const& params, R const& given_rate) {
    bool const has_momentum = o.momentum != 0;
    auto moved = fresh_tree(params);
    sgd_state<Tree> next{{}, has_momentum ? fresh_tree(state.trace) : state.trace};
    auto&& slopes = in_form_of(params, gradients);
    step_call step(record_sgd_steps, step_layout::flags(o.nesterov, has_momentum), params, slopes);
    step.write(moved);
    if (has_momentum) step.add(state.trace, next.trace);
    step.template run<P>(state.count, next.count, given_rate, {o.momentum, o.weight_decay});
    return std::pair(moved, next);
}
#endif

} // namespace TRACEXPR_CALLS

} // namespace detail

// A step computes trace = g + momentum * trace, p -= rate * trace; with nesterov p -= rate * (g + momentum * trace). (Sutskever
// et al., On the importance of initialization and momentum in deep learning, 2013, in the form of Optax and PyTorch)
template <class Rate = double> struct sgd_optimizer {
    static constexpr bool is_elementwise = true; // an element's step depends on its own gradients only
    Rate learning_rate;
    double momentum;
    bool nesterov;
    double weight_decay;

    template <class P> constexpr auto init(P const& params) const {
        if constexpr (detail::require_parameters<P>()) {
            auto trace = detail::zeros_of(params);
            return sgd_state<decltype(trace)>{detail::step_count(0), trace};
        } else return tx::detail::failed{};
    }
    // Returns the next parameters and the next state. The learning rate is that of the optimizer, or the scalar that is passed.
    template <class G, class Tree, class P>
    constexpr auto update(G const& gradients, sgd_state<Tree> const& state, P const& params) const {
        return next(gradients, state, params, learning_rate);
    }
    template <class G, class Tree, class P, operand R>
    constexpr auto update(G const& gradients, sgd_state<Tree> const& state, P const& params, R const& rate) const {
        return next(gradients, state, params, rate);
    }
    template <class... A> constexpr auto update(A const&...) const { return detail::refuse_update<A...>(); }

private:
    template <class G, class Tree, class P, class R>
    constexpr auto next(G const& gradients, sgd_state<Tree> const& state, P const& params, R const& given_rate) const {
        if constexpr (detail::require_update<G, Tree, P>()) {
            detail::require_forms(params, gradients, state.trace);
            return detail::next_sgd(*this, gradients, state, params, given_rate);
        } else return tx::detail::failed{};
    }
};

// Makes a gradient descent optimizer: sgd({.learning_rate = 0.1}), sgd(0.1) or sgd(schedule), where a schedule is a function of
// the number of the step.
template <detail::rate_type Rate>
[[nodiscard]] constexpr sgd_optimizer<detail::kept_rate<Rate>> sgd(Rate rate, sgd_options o = {}) {
    return {static_cast<detail::kept_rate<Rate>>(rate), o.momentum, o.nesterov, o.weight_decay};
}
[[nodiscard]] constexpr sgd_optimizer<> sgd(sgd_options o = {}) { return sgd(o.learning_rate, o); }

} // namespace tx::optim
