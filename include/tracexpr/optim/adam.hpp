// This file holds the optimizers Adam and AdamW.
#pragma once

#include <tracexpr/optim/steps.hpp>
#include <tracexpr/run/on_numbers.hpp>

#include <utility>

namespace tx::optim {

// The options of tx::optim::adam.
struct adam_options {
    double learning_rate = 1e-3;
    double b1 = 0.9;
    double b2 = 0.999;
    double eps = 1e-8;
    double eps_root = 0; // is added within the square root, for derivatives through a step
    bool nesterov = false;
};
// The options of tx::optim::adamw: those of adam, and weight_decay.
struct adamw_options {
    double learning_rate = 1e-3;
    double b1 = 0.9;
    double b2 = 0.999;
    double eps = 1e-8;
    double eps_root = 0;
    double weight_decay = 1e-4; // rate * weight_decay * p is subtracted from p
    bool nesterov = false;
};

// The state holds running means of the gradients and of their squares, which are |g|^2 for complex gradients.
template <class Tree> struct adam_state {
    detail::step_count count;
    Tree mean;
    Tree square;
};

namespace detail {

// Records d * mean + (1 - d) * g, of {mean, g, d}.
TRACEXPR_ONCE constexpr node_id record_running_mean(lowering& low, node_id const* x) {
    leaf_nodes on(low);
    dtype const type = computed_in(low.type(x[0])), real = real_part(type);
    node_id const before = on.multiply(on.as(x[2], real), on.as(x[0], type));
    return on.next(on.add(before, on.multiply(on.rest(x[2], real), on.as(x[1], type))), x[0]);
}
// Records d * square + (1 - d) * |g|^2, of {square, g, d}.
TRACEXPR_ONCE constexpr node_id record_running_square(lowering& low, node_id const* x) {
    leaf_nodes on(low);
    dtype const type = computed_in(low.type(x[0])), real = real_part(type);
    node_id const before = on.multiply(on.as(x[2], real), on.real(on.as(x[0], type)));
    return on.next(on.add(before, on.multiply(on.rest(x[2], real), on.squared_magnitude(on.as(x[1], type)))), x[0]);
}
// Records 1 - decay^count, by which a running mean is divided to have no bias. The form -expm1(count log(decay)) has no
// cancellation.
TRACEXPR_ONCE constexpr node_id record_bias_correction(lowering& low, node_id count, node_id log_decay, dtype real) {
    leaf_nodes on(low);
    return on.apply(op::negative, on.apply(op::expm1, on.multiply(on.as(count, real), on.as(log_decay, real))));
}
// The numbers of a step, as nodes.
struct adam_numbers {
    node_id rate, count, log_b1, log_b2, eps, eps_root, weight_decay;
};
// Moves a parameter by its mean without bias.
TRACEXPR_ONCE constexpr node_id record_adam_move(lowering& low, node_id p, node_id unbiased, node_id square,
                                                 adam_numbers const& n) {
    leaf_nodes on(low);
    dtype const type = computed_in(low.type(p)), real = real_part(type);
    node_id const square_rest = record_bias_correction(low, n.count, n.log_b2, real);
    node_id const spread = on.divide(on.real(on.as(square, type)), square_rest);
    node_id const root = on.apply(op::sqrt, on.add(spread, on.as(n.eps_root, real)));
    node_id const step = on.divide(unbiased, on.add(root, on.as(n.eps, real)));
    node_id const x = on.as(p, type), decayed = on.add(step, on.multiply(on.as(n.weight_decay, real), x));
    return on.next(on.subtract(x, on.multiply(on.as(n.rate, real), decayed)), p);
}
// Records a step, of {p, mean, square, rate, count, log_b1, log_b2, eps, eps_root, weight_decay}.
TRACEXPR_ONCE constexpr node_id record_adam_step(lowering& low, node_id const* x) {
    leaf_nodes on(low);
    dtype const type = computed_in(low.type(x[0]));
    adam_numbers const n{x[3], x[4], x[5], x[6], x[7], x[8], x[9]};
    node_id const unbiased = on.divide(on.as(x[1], type), record_bias_correction(low, n.count, n.log_b1, real_part(type)));
    return record_adam_move(low, x[0], unbiased, x[2], n);
}
// Records Nesterov's step, which uses the mean that the next gradient would give if it were equal to this one, of {p, mean,
// square, rate, count, log_b1, log_b2, eps, eps_root, weight_decay, g, b1}.
TRACEXPR_ONCE constexpr node_id record_nadam_step(lowering& low, node_id const* x) {
    leaf_nodes on(low);
    dtype const type = computed_in(low.type(x[0])), real = real_part(type);
    adam_numbers const n{x[3], x[4], x[5], x[6], x[7], x[8], x[9]};
    node_id const next_count = on.add(n.count, low.literal(std::int64_t{1}));
    node_id const mean = on.multiply(on.as(x[11], real), on.as(x[1], type));
    node_id const slope = on.multiply(on.rest(x[11], real), on.as(x[10], type));
    node_id const ahead = on.add(on.divide(mean, record_bias_correction(low, next_count, n.log_b1, real)),
                                 on.divide(slope, record_bias_correction(low, n.count, n.log_b1, real)));
    return record_adam_move(low, x[0], ahead, x[2], n);
}
// Records the steps of all leaves, of {parameters, gradients, means, squares, count, rates, b1, b2, log_b1, log_b2, eps,
// eps_root, weight_decay}.
TRACEXPR_ONCE constexpr void record_adam_steps(lowering& low, node_id const* operands, tree_form const& form, node_id* results) {
    step_layout const at(low, operands, form, 2);
    for (std::size_t k = 0; k < form.leaves; ++k) {
        node_id const p = at.leaf(0, k), g = at.leaf(1, k), b1 = at.number(0);
        node_id const mean[]{at.leaf(2, k), g, b1}, square[]{at.leaf(3, k), g, at.number(1)};
        node_id const next_mean = record_running_mean(low, mean), next_square = record_running_square(low, square);
        node_id const step[]{p,
                             next_mean,
                             next_square,
                             at.rate(p),
                             at.next_count(),
                             at.number(2),
                             at.number(3),
                             at.number(4),
                             at.number(5),
                             at.number(6),
                             g,
                             b1};
        results[k] = form.flags & step_layout::nesterov ? record_nadam_step(low, step) : record_adam_step(low, step);
        results[form.leaves + k] = next_mean;
        results[2 * form.leaves + k] = next_square;
    }
    results[3 * form.leaves] = at.next_count();
}

inline namespace TRACEXPR_CALLS {

#if TRACEXPR_TRACES_HERE
template <class O, class G, class Tree, class P, class R>
constexpr auto next_adam(O const& o, G const& gradients, adam_state<Tree> const& state, P const& params, R const& given_rate) {
    auto const count = kept_as<step_count>(state.count + 1);
    Tree const mean = tx::tree_map(
        [&](auto const& m, auto const& g) { return next_kept<leaf_fn<record_running_mean>>(m, g, o.b1); }, state.mean, gradients);
    Tree const square =
        tx::tree_map([&](auto const& v, auto const& g) { return next_kept<leaf_fn<record_running_square>>(v, g, o.b2); },
                     state.square, gradients);
    auto moved = tx::tree_map(
        [&]<class L>(L const& p, auto const& g, auto const& m, auto const& v) {
            require_same_shape(p, g);
            auto const rate = rate_for<leaf_real<L>>(given_rate, state.count);
            if (o.nesterov)
                return next_parameter<leaf_fn<record_nadam_step>>(p, m, v, rate, count, log(o.b1), log(o.b2), o.eps, o.eps_root,
                                                                  o.weight_decay, g, o.b1);
            return next_parameter<leaf_fn<record_adam_step>>(p, m, v, rate, count, log(o.b1), log(o.b2), o.eps, o.eps_root,
                                                             o.weight_decay);
        },
        params, gradients, mean, square);
    return std::pair(moved, adam_state<Tree>{count, mean, square});
}
#else
template <class O, class G, class Tree, class P, class R>
auto next_adam(O const& o, G const& gradients, adam_state<Tree> const& state, P const& params, R const& given_rate) {
    auto moved = fresh_tree(params);
    adam_state<Tree> next{{}, fresh_tree(state.mean), fresh_tree(state.square)};
    auto&& slopes = in_form_of(params, gradients);
    step_call step(record_adam_steps, step_layout::flags(o.nesterov, true), params, slopes);
    step.write(moved);
    step.add(state.mean, next.mean);
    step.add(state.square, next.square);
    step.template run<P>(state.count, next.count, given_rate,
                         {o.b1, o.b2, log(o.b1), log(o.b2), o.eps, o.eps_root, o.weight_decay});
    return std::pair(moved, next);
}
#endif

} // namespace TRACEXPR_CALLS

} // namespace detail

// The steps follow Kingma and Ba, Adam: A Method for Stochastic Optimization (2015), algorithm 1; with a weight decay Loshchilov
// and Hutter, Decoupled Weight Decay Regularization (2019), algorithm 2; with nesterov Dozat, Incorporating Nesterov Momentum
// into Adam (2016). The formulas are those of Optax.
template <class Rate = double> struct adam_optimizer {
    static constexpr bool is_elementwise = true; // an element's step depends on its own gradients only
    Rate learning_rate;
    double b1, b2, eps, eps_root, weight_decay;
    bool nesterov;

    template <class P> constexpr auto init(P const& params) const {
        if constexpr (detail::require_parameters<P>()) {
            auto zeros = detail::zeros_of(params);
            return adam_state<decltype(zeros)>{detail::step_count(0), zeros, zeros};
        } else return tx::detail::failed{};
    }
    // Returns the next parameters and the next state. The learning rate is that of the optimizer, or the scalar that is passed.
    template <class G, class Tree, class P>
    constexpr auto update(G const& gradients, adam_state<Tree> const& state, P const& params) const {
        return next(gradients, state, params, learning_rate);
    }
    template <class G, class Tree, class P, operand R>
    constexpr auto update(G const& gradients, adam_state<Tree> const& state, P const& params, R const& rate) const {
        return next(gradients, state, params, rate);
    }
    template <class... A> constexpr auto update(A const&...) const { return detail::refuse_update<A...>(); }

private:
    template <class G, class Tree, class P, class R>
    constexpr auto next(G const& gradients, adam_state<Tree> const& state, P const& params, R const& given_rate) const {
        if constexpr (detail::require_update<G, Tree, P>()) {
            detail::require_forms(params, gradients, state.mean);
            return detail::next_adam(*this, gradients, state, params, given_rate);
        } else return tx::detail::failed{};
    }
};

// Makes an Adam optimizer: adam({.learning_rate = 0.1}), adam(0.1) or adam(schedule), where a schedule is a function of the
// number of the step.
template <detail::rate_type Rate>
[[nodiscard]] constexpr adam_optimizer<detail::kept_rate<Rate>> adam(Rate rate, adam_options o = {}) {
    return {static_cast<detail::kept_rate<Rate>>(rate), o.b1, o.b2, o.eps, o.eps_root, 0, o.nesterov};
}
[[nodiscard]] constexpr adam_optimizer<> adam(adam_options o = {}) { return adam(o.learning_rate, o); }
// Makes an Adam optimizer with decoupled weight decay (Loshchilov and Hutter, 2019).
template <detail::rate_type Rate>
[[nodiscard]] constexpr adam_optimizer<detail::kept_rate<Rate>> adamw(Rate rate, adamw_options o = {}) {
    return {static_cast<detail::kept_rate<Rate>>(rate), o.b1, o.b2, o.eps, o.eps_root, o.weight_decay, o.nesterov};
}
[[nodiscard]] constexpr adam_optimizer<> adamw(adamw_options o = {}) { return adamw(o.learning_rate, o); }

} // namespace tx::optim
