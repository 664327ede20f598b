// This file holds the optimizer RMSprop.
#pragma once

#include <tracexpr/optim/adam.hpp>

namespace tx::optim {

// The options of tx::optim::rmsprop.
struct rmsprop_options {
    double learning_rate = 1e-3;
    double decay = 0.9;
    double eps = 1e-8;
    bool eps_in_sqrt = true; // false: eps is added to the square root, as in PyTorch
    double momentum = 0;
    bool nesterov = false;
};

// The state holds the running mean of squared gradients, and in `trace` the decaying sum of steps, which is 0 without momentum.
template <class Tree> struct rmsprop_state {
    detail::step_count count;
    Tree square;
    Tree trace;
};

namespace detail {

// The numbers of a step, as nodes. One of eps and outer_eps is 0.
struct rmsprop_numbers {
    node_id rate, eps, outer_eps;
};
// Records rate * g / (sqrt(square + eps) + outer_eps), in this dtype.
TRACEXPR_ONCE constexpr node_id record_scaled_step(lowering& low, node_id square, node_id g, rmsprop_numbers const& n,
                                                   dtype type) {
    leaf_nodes on(low);
    dtype const real = real_part(type);
    node_id const spread = on.add(on.real(on.as(square, type)), on.as(n.eps, real));
    node_id const root = on.add(on.apply(op::sqrt, spread), on.as(n.outer_eps, real));
    return on.multiply(on.as(n.rate, real), on.divide(on.as(g, type), root));
}
// Records the next trace, of {trace, square, g, rate, eps, outer_eps, momentum}.
TRACEXPR_ONCE constexpr node_id record_step_trace(lowering& low, node_id const* x) {
    leaf_nodes on(low);
    dtype const type = computed_in(low.type(x[0]));
    node_id const step = record_scaled_step(low, x[1], x[2], {x[3], x[4], x[5]}, type);
    return on.next(on.add(step, on.multiply(on.as(x[6], real_part(type)), on.as(x[0], type))), x[0]);
}
// Records a step, of {p, square, g, rate, eps, outer_eps}.
TRACEXPR_ONCE constexpr node_id record_rmsprop_step(lowering& low, node_id const* x) {
    leaf_nodes on(low);
    dtype const type = computed_in(low.type(x[0]));
    return on.next(on.subtract(on.as(x[0], type), record_scaled_step(low, x[1], x[2], {x[3], x[4], x[5]}, type)), x[0]);
}
// Records Nesterov's step, which uses the trace after this step, of {p, square, g, rate, eps, outer_eps, trace, momentum}.
TRACEXPR_ONCE constexpr node_id record_rmsprop_nesterov_step(lowering& low, node_id const* x) {
    leaf_nodes on(low);
    dtype const type = computed_in(low.type(x[0]));
    node_id const decayed_trace = on.multiply(on.as(x[7], real_part(type)), on.as(x[6], type));
    node_id const step = on.add(record_scaled_step(low, x[1], x[2], {x[3], x[4], x[5]}, type), decayed_trace);
    return on.next(on.subtract(on.as(x[0], type), step), x[0]);
}
// Records p - trace, of {p, trace}.
TRACEXPR_ONCE constexpr node_id record_trace_step(lowering& low, node_id const* x) {
    leaf_nodes on(low);
    dtype const type = computed_in(low.type(x[0]));
    return on.next(on.subtract(on.as(x[0], type), on.as(x[1], type)), x[0]);
}
// Records the steps of all leaves, of {parameters, gradients, squares, traces if there is a momentum, count, rates, decay, eps,
// outer_eps, momentum}.
TRACEXPR_ONCE constexpr void record_rmsprop_steps(lowering& low, node_id const* operands, tree_form const& form,
                                                  node_id* results) {
    bool const has_momentum = form.flags & step_layout::momentum, is_nesterov = form.flags & step_layout::nesterov;
    step_layout const at(low, operands, form, has_momentum ? 2 : 1);
    node_id const eps = at.number(1), outer_eps = at.number(2), momentum = at.number(3);
    for (std::size_t k = 0; k < form.leaves; ++k) {
        node_id const p = at.leaf(0, k), g = at.leaf(1, k), rate = at.rate(p);
        node_id const before[]{at.leaf(2, k), g, at.number(0)}, square = record_running_square(low, before);
        results[form.leaves + k] = square;
        node_id const step[]{p, square, g, rate, eps, outer_eps};
        if (!has_momentum) {
            results[k] = record_rmsprop_step(low, step);
            continue;
        }
        node_id const trace_before[]{at.leaf(3, k), square, g, rate, eps, outer_eps, momentum};
        node_id const trace = results[2 * form.leaves + k] = record_step_trace(low, trace_before);
        node_id const nesterov_step[]{p, square, g, rate, eps, outer_eps, trace, momentum}, trace_step[]{p, trace};
        results[k] = is_nesterov ? record_rmsprop_nesterov_step(low, nesterov_step) : record_trace_step(low, trace_step);
    }
    results[(has_momentum ? 3 : 2) * form.leaves] = at.next_count();
}

inline namespace TRACEXPR_CALLS {

#if TRACEXPR_TRACES_HERE
template <class O, class G, class Tree, class R> constexpr Tree next_step_trace(O const& o, G const& gradients, Tree const& trace,
                                                                                Tree const& square, R const& given_rate,
                                                                                step_count const& count) {
    return tx::tree_map(
        [&]<class L>(L const& t, auto const& v, auto const& g) {
            auto const rate = rate_for<leaf_real<L>>(given_rate, count);
            return next_kept<leaf_fn<record_step_trace>>(t, v, g, rate, o.eps, o.outer_eps, o.momentum);
        },
        trace, square, gradients);
}
template <class O, class G, class Tree, class P, class R> constexpr auto
next_rmsprop(O const& o, G const& gradients, rmsprop_state<Tree> const& state, P const& params, R const& given_rate) {
    Tree const square =
        tx::tree_map([&](auto const& v, auto const& g) { return next_kept<leaf_fn<record_running_square>>(v, g, o.decay); },
                     state.square, gradients);
    Tree const trace =
        o.momentum == 0 ? state.trace : next_step_trace(o, gradients, state.trace, square, given_rate, state.count);
    auto moved = tx::tree_map(
        [&]<class L>(L const& p, auto const& g, auto const& v, auto const& t) {
            require_same_shape(p, g);
            auto const rate = rate_for<leaf_real<L>>(given_rate, state.count);
            if (o.momentum == 0) return next_parameter<leaf_fn<record_rmsprop_step>>(p, v, g, rate, o.eps, o.outer_eps);
            if (o.nesterov)
                return next_parameter<leaf_fn<record_rmsprop_nesterov_step>>(p, v, g, rate, o.eps, o.outer_eps, t, o.momentum);
            return next_parameter<leaf_fn<record_trace_step>>(p, t);
        },
        params, gradients, square, trace);
    return std::pair(moved, rmsprop_state<Tree>{kept_as<step_count>(state.count + 1), square, trace});
}
#else
template <class O, class G, class Tree, class P, class R>
auto next_rmsprop(O const& o, G const& gradients, rmsprop_state<Tree> const& state, P const& params, R const& given_rate) {
    bool const has_momentum = o.momentum != 0;
    auto moved = fresh_tree(params);
    rmsprop_state<Tree> next{{}, fresh_tree(state.square), has_momentum ? fresh_tree(state.trace) : state.trace};
    auto&& slopes = in_form_of(params, gradients);
    step_call step(record_rmsprop_steps, step_layout::flags(o.nesterov, has_momentum), params, slopes);
    step.write(moved);
    step.add(state.square, next.square);
    if (has_momentum) step.add(state.trace, next.trace);
    step.template run<P>(state.count, next.count, given_rate, {o.decay, o.eps, o.outer_eps, o.momentum});
    return std::pair(moved, next);
}
#endif

} // namespace TRACEXPR_CALLS

} // namespace detail

// A step computes square = decay * square + (1 - decay) * g^2, p -= rate * g / sqrt(square + eps). (Hinton, Neural Networks for
// Machine Learning, lecture 6e, 2012; Graves, Generating Sequences With Recurrent Neural Networks, 2014, equations 38 to 45) As
// in Optax, momentum accumulates steps, not gradients.
template <class Rate = double> struct rmsprop_optimizer {
    static constexpr bool is_elementwise = true; // an element's step depends on its own gradients only
    Rate learning_rate;
    double decay, eps, outer_eps, momentum;
    bool nesterov;

    template <class P> constexpr auto init(P const& params) const {
        if constexpr (detail::require_parameters<P>()) {
            auto zeros = detail::zeros_of(params);
            return rmsprop_state<decltype(zeros)>{detail::step_count(0), zeros, zeros};
        } else return tx::detail::failed{};
    }
    // Returns the next parameters and the next state. The learning rate is that of the optimizer, or the scalar that is passed.
    template <class G, class Tree, class P>
    constexpr auto update(G const& gradients, rmsprop_state<Tree> const& state, P const& params) const {
        return next(gradients, state, params, learning_rate);
    }
    template <class G, class Tree, class P, operand R>
    constexpr auto update(G const& gradients, rmsprop_state<Tree> const& state, P const& params, R const& rate) const {
        return next(gradients, state, params, rate);
    }
    template <class... A> constexpr auto update(A const&...) const { return detail::refuse_update<A...>(); }

private:
    template <class G, class Tree, class P, class R>
    constexpr auto next(G const& gradients, rmsprop_state<Tree> const& state, P const& params, R const& given_rate) const {
        if constexpr (detail::require_update<G, Tree, P>()) {
            detail::require_forms(params, gradients, state.square);
            return detail::next_rmsprop(*this, gradients, state, params, given_rate);
        } else return tx::detail::failed{};
    }
};

// Makes an RMSprop optimizer: rmsprop({.learning_rate = 0.1}), rmsprop(0.1) or rmsprop(schedule), where a schedule is a function
// of the number of the step.
template <detail::rate_type Rate>
[[nodiscard]] constexpr rmsprop_optimizer<detail::kept_rate<Rate>> rmsprop(Rate rate, rmsprop_options o = {}) {
    return {static_cast<detail::kept_rate<Rate>>(rate),
            o.decay,
            o.eps_in_sqrt ? o.eps : 0,
            o.eps_in_sqrt ? 0 : o.eps,
            o.momentum,
            o.nesterov};
}
[[nodiscard]] constexpr rmsprop_optimizer<> rmsprop(rmsprop_options o = {}) { return rmsprop(o.learning_rate, o); }

} // namespace tx::optim
