// This file holds gradient descent with momentum.
#pragma once

#include <tracexpr/optim/trees.hpp>

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

template <class T, class P, class G, class D> constexpr auto decayed_gradient(P const& p, G const& g, D const& weight_decay) {
    return as_dtype<compute_type<T>>(g) + as_dtype<compute_real<T>>(weight_decay) * as_dtype<compute_type<T>>(p);
}
struct trace_fn {
    template <class M, class P, class G, class D, class W>
    constexpr auto operator()(M const& trace, P const& p, G const& g, D const& momentum, W const& weight_decay) const {
        using T = typename M::value_type;
        auto const decayed_trace = as_dtype<compute_real<T>>(momentum) * cast_to<compute_type<T>>(trace);
        return cast_to<T>(decayed_gradient<T>(p, g, weight_decay) + decayed_trace);
    }
};
struct sgd_step_fn {
    template <class P, class G, class R, class W>
    constexpr auto operator()(P const& p, G const& g, R const& rate, W const& weight_decay) const {
        using T = typename P::value_type;
        return cast_to<T>(cast_to<compute_type<T>>(p) -
                          as_dtype<compute_real<T>>(rate) * decayed_gradient<T>(p, g, weight_decay));
    }
};
struct nesterov_step_fn {
    template <class P, class G, class M, class R, class D, class W> constexpr auto
    operator()(P const& p, G const& g, M const& trace, R const& rate, D const& momentum, W const& weight_decay) const {
        using T = typename P::value_type;
        auto const step =
            decayed_gradient<T>(p, g, weight_decay) + as_dtype<compute_real<T>>(momentum) * as_dtype<compute_type<T>>(trace);
        return cast_to<T>(cast_to<compute_type<T>>(p) - as_dtype<compute_real<T>>(rate) * step);
    }
};

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
            Tree const trace = momentum == 0 ? state.trace : next_trace(gradients, state.trace, params);
            auto moved = tx::tree_map(
                [&]<class L>(L const& p, auto const& g, auto const& t) {
                    detail::require_same_shape(p, g);
                    auto const rate = detail::rate_for<detail::leaf_real<L>>(given_rate, state.count);
                    if (momentum == 0) return detail::next_parameter<detail::sgd_step_fn>(p, g, rate, weight_decay);
                    if (nesterov) return detail::next_parameter<detail::nesterov_step_fn>(p, g, t, rate, momentum, weight_decay);
                    return detail::next_parameter<detail::sgd_step_fn>(p, t, rate, 0.0);
                },
                params, gradients, trace);
            return std::pair(moved, sgd_state<Tree>{detail::kept_as<detail::step_count>(state.count + 1), trace});
        } else return tx::detail::failed{};
    }

    template <class G, class Tree, class P>
    constexpr Tree next_trace(G const& gradients, Tree const& trace, P const& params) const {
        return tx::tree_map([&](auto const& t, auto const& g,
                                auto const& p) { return detail::next_kept<detail::trace_fn>(t, p, g, momentum, weight_decay); },
                            trace, gradients, params);
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
