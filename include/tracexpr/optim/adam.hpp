// This file holds the optimizers Adam and AdamW.
#pragma once

#include <tracexpr/optim/trees.hpp>
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

// Computes d * mean + (1 - d) * g.
struct running_mean_fn {
    template <class M, class G, class D> constexpr auto operator()(M const& mean, G const& g, D const& decay) const {
        using T = typename M::value_type;
        return cast_to<T>(as_dtype<compute_real<T>>(decay) * cast_to<compute_type<T>>(mean) +
                          as_dtype<compute_real<T>>(1.0 - decay) * as_dtype<compute_type<T>>(g));
    }
};
// Computes d * square + (1 - d) * |g|^2.
struct running_square_fn {
    template <class M, class G, class D> constexpr auto operator()(M const& square, G const& g, D const& decay) const {
        using T = typename M::value_type;
        return cast_to<T>(as_dtype<compute_real<T>>(decay) * real(cast_to<compute_type<T>>(square)) +
                          as_dtype<compute_real<T>>(1.0 - decay) * squared_magnitude(as_dtype<compute_type<T>>(g)));
    }
};
// Computes 1 - decay^count, by which a running mean is divided to have no bias. The form -expm1(count log(decay)) has no
// cancellation.
template <class R, class C, class L> constexpr auto bias_correction(C const& count, L const& log_decay) {
    return -expm1(as_dtype<R>(count) * as_dtype<R>(log_decay));
}
struct adam_step_fn {
    template <class P, class M, class V, class R, class C, class L, class E, class W>
    constexpr auto operator()(P const& p, M const& mean, V const& square, R const& rate, C const& count, L const& log_b1,
                              L const& log_b2, E const& eps, E const& eps_root, W const& weight_decay) const {
        using T = typename P::value_type;
        auto const unbiased = as_dtype<compute_type<T>>(mean) / bias_correction<compute_real<T>>(count, log_b1);
        return moved(p, unbiased, square, rate, bias_correction<compute_real<T>>(count, log_b2), eps, eps_root, weight_decay);
    }
    template <class P, class M, class V, class R, class B, class E, class W>
    static constexpr auto moved(P const& p, M const& unbiased, V const& square, R const& rate, B const& square_rest, E const& eps,
                                E const& eps_root, W const& weight_decay) {
        using T = typename P::value_type;
        using real_number = compute_real<T>;
        auto const spread = real(as_dtype<compute_type<T>>(square)) / square_rest;
        auto const step = unbiased / (sqrt(spread + as_dtype<real_number>(eps_root)) + as_dtype<real_number>(eps));
        auto const x = cast_to<compute_type<T>>(p);
        return cast_to<T>(x - as_dtype<real_number>(rate) * (step + as_dtype<real_number>(weight_decay) * x));
    }
};
// Takes Nesterov's step: it uses the mean that the next gradient would give if it were equal to this one.
struct nadam_step_fn {
    template <class P, class G, class M, class V, class R, class C, class D, class L, class E, class W>
    constexpr auto operator()(P const& p, G const& g, M const& mean, V const& square, R const& rate, C const& count,
                              D const& decay, L const& log_b1, L const& log_b2, E const& eps, E const& eps_root,
                              W const& weight_decay) const {
        using T = typename P::value_type;
        using real_number = compute_real<T>;
        auto const ahead =
            as_dtype<real_number>(decay) * as_dtype<compute_type<T>>(mean) / bias_correction<real_number>(count + 1, log_b1) +
            as_dtype<real_number>(1.0 - decay) * as_dtype<compute_type<T>>(g) / bias_correction<real_number>(count, log_b1);
        return adam_step_fn::moved(p, ahead, square, rate, bias_correction<real_number>(count, log_b2), eps, eps_root,
                                   weight_decay);
    }
};

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
            auto const count = detail::kept_as<detail::step_count>(state.count + 1);
            Tree const mean =
                tx::tree_map([&](auto const& m, auto const& g) { return detail::next_kept<detail::running_mean_fn>(m, g, b1); },
                             state.mean, gradients);
            Tree const square =
                tx::tree_map([&](auto const& v, auto const& g) { return detail::next_kept<detail::running_square_fn>(v, g, b2); },
                             state.square, gradients);
            auto moved = tx::tree_map(
                [&]<class L>(L const& p, auto const& g, auto const& m, auto const& v) {
                    detail::require_same_shape(p, g);
                    auto const rate = detail::rate_for<detail::leaf_real<L>>(given_rate, state.count);
                    if (nesterov)
                        return detail::next_parameter<detail::nadam_step_fn>(p, g, m, v, rate, count, b1, log(b1), log(b2), eps,
                                                                             eps_root, weight_decay);
                    return detail::next_parameter<detail::adam_step_fn>(p, m, v, rate, count, log(b1), log(b2), eps, eps_root,
                                                                        weight_decay);
                },
                params, gradients, mean, square);
            return std::pair(moved, adam_state<Tree>{count, mean, square});
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
