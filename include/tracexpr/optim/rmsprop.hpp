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

// Computes rate * g / (sqrt(square + eps) + outer_eps), where one of both is 0.
template <class T, class V, class G, class R, class E, class S>
constexpr auto scaled_step(V const& square, G const& g, R const& rate, E const& eps, S const& outer_eps) {
    using real_number = compute_real<T>;
    auto const root =
        sqrt(real(as_dtype<compute_type<T>>(square)) + as_dtype<real_number>(eps)) + as_dtype<real_number>(outer_eps);
    return as_dtype<real_number>(rate) * (as_dtype<compute_type<T>>(g) / root);
}
struct step_trace_fn {
    template <class M, class V, class G, class R, class E, class S, class D>
    constexpr auto operator()(M const& trace, V const& square, G const& g, R const& rate, E const& eps, S const& outer_eps,
                              D const& momentum) const {
        using T = typename M::value_type;
        return cast_to<T>(scaled_step<T>(square, g, rate, eps, outer_eps) +
                          as_dtype<compute_real<T>>(momentum) * cast_to<compute_type<T>>(trace));
    }
};
// Takes the step; with a trace it is Nesterov's, which uses the trace after this step.
struct rmsprop_step_fn {
    template <class P, class V, class G, class R, class E, class S>
    constexpr auto operator()(P const& p, V const& square, G const& g, R const& rate, E const& eps, S const& outer_eps) const {
        using T = typename P::value_type;
        return cast_to<T>(cast_to<compute_type<T>>(p) - scaled_step<T>(square, g, rate, eps, outer_eps));
    }
    template <class P, class V, class G, class R, class E, class S, class M, class D>
    constexpr auto operator()(P const& p, V const& square, G const& g, R const& rate, E const& eps, S const& outer_eps,
                              M const& trace, D const& momentum) const {
        using T = typename P::value_type;
        return cast_to<T>(cast_to<compute_type<T>>(p) - (scaled_step<T>(square, g, rate, eps, outer_eps) +
                                                         as_dtype<compute_real<T>>(momentum) * as_dtype<compute_type<T>>(trace)));
    }
};
struct trace_step_fn {
    template <class P, class M> constexpr auto operator()(P const& p, M const& trace) const {
        using T = typename P::value_type;
        return cast_to<T>(cast_to<compute_type<T>>(p) - as_dtype<compute_type<T>>(trace));
    }
};

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
            Tree const square = tx::tree_map(
                [&](auto const& v, auto const& g) { return detail::next_kept<detail::running_square_fn>(v, g, decay); },
                state.square, gradients);
            Tree const trace = momentum == 0 ? state.trace : next_trace(gradients, state.trace, square, given_rate, state.count);
            auto moved = tx::tree_map(
                [&]<class L>(L const& p, auto const& g, auto const& v, auto const& t) {
                    detail::require_same_shape(p, g);
                    auto const rate = detail::rate_for<detail::leaf_real<L>>(given_rate, state.count);
                    if (momentum == 0) return detail::next_parameter<detail::rmsprop_step_fn>(p, v, g, rate, eps, outer_eps);
                    if (nesterov)
                        return detail::next_parameter<detail::rmsprop_step_fn>(p, v, g, rate, eps, outer_eps, t, momentum);
                    return detail::next_parameter<detail::trace_step_fn>(p, t);
                },
                params, gradients, square, trace);
            return std::pair(moved, rmsprop_state<Tree>{detail::kept_as<detail::step_count>(state.count + 1), square, trace});
        } else return tx::detail::failed{};
    }

    template <class G, class Tree, class R> constexpr Tree next_trace(G const& gradients, Tree const& trace, Tree const& square,
                                                                      R const& given_rate,
                                                                      detail::step_count const& count) const {
        return tx::tree_map(
            [&]<class L>(L const& t, auto const& v, auto const& g) {
                auto const rate = detail::rate_for<detail::leaf_real<L>>(given_rate, count);
                return detail::next_kept<detail::step_trace_fn>(t, v, g, rate, eps, outer_eps, momentum);
            },
            trace, square, gradients);
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
