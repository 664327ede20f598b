// This file holds the optimizer L-BFGS with a line search.
#pragma once

#include <tracexpr/optim/flat.hpp>
#include <tracexpr/optim/norms.hpp>
#include <tracexpr/transforms/grad.hpp>
#include <tracexpr/transforms/loops.hpp>

#include <limits>

namespace tx::optim {

// The options of tx::optim::lbfgs, the conditions of the line search.
struct lbfgs_options {
    int max_line_search_steps = 25;
    double decrease = 1e-4; // the loss must decrease by this factor times slope times step
    double curvature = 0.9; // the slope may be this factor times that at the start
};

// The state holds the loss and its gradient, as a vector, at the parameters; the last steps and changes of the gradient, the
// newest first; and 1 divided by their inner products, or 0 for pairs that there aren't yet.
template <class T, class Size, int Memory> struct lbfgs_state {
    detail::step_count count;
    tensor<T, shape<>> value;
    tensor<T, Size> gradient;
    tensor<T, shape<Memory, dims_of<Size>[0]>> steps;
    tensor<T, shape<Memory, dims_of<Size>[0]>> changes;
    tensor<T, shape<Memory>> inverses;
};

namespace detail {

template <class T, class A> constexpr auto scalar_in(trace_scope& scope, A const& a) {
    return expr<T, shape<>>(scope, record_operand<dtype_of<T>>(scope, a));
}
// Returns the loss and its gradient as a vector.
template <class Loss, class P> constexpr auto value_and_flat_gradient(Loss const& loss, P const& params) {
    auto const [value, gradient] = value_and_grad(loss)(params);
    trace_scope& scope = *symbolic_scope(params);
    return std::pair(scalar_in<flat_number<P>>(scope, value), flattened(scope, gradient));
}
// Adds a first row and drops the last one.
template <class Rows, class Row> constexpr auto with_first(Rows const& rows, Row const& row) {
    constexpr std::int64_t count = dims_of_operand<Rows>[0];
    if constexpr (count == 1) return expand_dims<0>(row);
    else return concat(axis<0>, expand_dims<0>(row), slice(rows, range<0, count - 1>));
}
template <class G, class State> constexpr auto descent_direction(G const& gradient, State const& state) {
    using T = typename G::value_type;
    auto const pairs = std::tuple(state.steps, state.changes, state.inverses);
    auto const forth = scan(
        [](auto const& q, auto const& row) {
            auto const& [step, change, inverse] = row;
            auto const weight = inverse * sum(step * q);
            return std::pair(q - weight * change, weight);
        },
        gradient, pairs);
    auto const newest = slice(state.changes, at<0>);
    auto const inverse = slice(state.inverses, at<0>);
    auto const known = inverse > 0;
    auto const first_scale = minimum(T(1), T(1) / global_norm(gradient));
    auto const scale = where(known, T(1) / where(known, inverse * sum(newest * newest), T(1)), first_scale);
    auto const back = scan(
        [](auto const& r, auto const& row) {
            auto const& [step, change, of_pair, weight] = row;
            return std::pair(r + step * (weight - of_pair * sum(change * r)), std::tuple<>{});
        },
        scale * forth.first, std::tuple(state.steps, state.changes, state.inverses, forth.second), {.reverse = true});
    auto const direction = -back.first;
    return where(sum(direction * gradient) < 0, direction, -gradient);
}

// Returns the length of the step along a direction, and the loss and its gradient there.
template <class Loss, class P, class X, class D, class F, class G, class O>
constexpr auto line_search(Loss const& loss, P const& params, X const& x, D const& direction, F const& value, G const& gradient,
                           O const& options) {
    using T = typename X::value_type;
    constexpr T infinity = std::numeric_limits<T>::infinity();
    auto const slope = sum(direction * gradient);
    auto const body = [&](auto const& t, auto const& low, auto const& high, auto const&, auto const& best, auto const& best_value,
                          auto const& best_gradient) {
        auto const [trial_value, trial_gradient] = value_and_flat_gradient(loss, unflattened(x + t * direction, params));
        auto const decreases = trial_value <= value + options.decrease * t * slope;
        auto const is_level = sum(trial_gradient * direction) >= options.curvature * slope;
        auto const next_low = where(decreases, t, low), next_high = where(decreases, high, t);
        auto const next = where(isinf(next_high), t * 2, (next_low + next_high) * 0.5);
        return std::tuple(next, next_low, next_high, logical_and(decreases, is_level), where(decreases, t, best),
                          where(decreases, trial_value, best_value), where(decreases, trial_gradient, best_gradient));
    };
    auto const goes_on = [](auto const&, auto const&, auto const&, auto const& found, auto const&...) { return !found; };
    auto const number = [&](T of) { return scalar_in<T>(x.scope(), of); };
    auto const out = while_loop(max_iterations(options.max_line_search_steps), goes_on, body, number(1), number(0),
                                number(infinity), number(0) > 0, number(0), value, gradient);
    return std::tuple(std::get<4>(out), std::get<5>(out), std::get<6>(out));
}

} // namespace detail

// The steps follow Nocedal and Wright, Numerical Optimization (2006), algorithms 7.4 and 7.5, with the line search of Lewis and
// Overton, Nonsmooth optimization via quasi-Newton methods (2013), algorithm 2.6: the step is doubled or bisected until the loss
// has decreased enough and its slope is less steep (weak Wolfe conditions). If no step does so, the last one that decreased the
// loss is taken.
template <int Memory> struct lbfgs_optimizer {
    static_assert(Memory > 0, "tx: optim: lbfgs: keeps at least one pair");
    int max_line_search_steps;
    double decrease, curvature;

    // Returns the state for these parameters. loss(params) must be a scalar.
    template <class Loss, class P> constexpr auto init(Loss const& loss, P const& params) const {
        if constexpr (detail::require_parameters<P>()) {
            auto const in_trace = [&](auto const& p) { return start(loss, p); };
            if constexpr (tx::detail::facts<P>.has_exprs) return in_trace(params);
            else return function{in_trace}(params);
        } else return tx::detail::failed{};
    }
    // Returns the next parameters and the next state. It should be called inside a tx::function: on tensors each call is traced.
    template <class Loss, class T, class Size, class P>
    constexpr auto update(Loss const& loss, lbfgs_state<T, Size, Memory> const& state, P const& params) const {
        if constexpr (detail::require_parameters<P>()) {
            auto const in_trace = [&](auto const& s, auto const& p) { return next(loss, s, p); };
            if constexpr (tx::detail::facts<P>.has_exprs) return in_trace(state, params);
            else return function{in_trace}(state, params);
        } else return tx::detail::failed{};
    }

private:
    template <class Loss, class P> static constexpr auto start(Loss const& loss, P const& params) {
        auto const [value, gradient] = detail::value_and_flat_gradient(loss, params);
        using T = detail::flat_number<P>;
        auto const rows = zeros_like(repeat<Memory>(expand_dims<0>(gradient), axis<0>));
        return lbfgs_state<T, detail::flat_shape<P>, Memory>{detail::step_count(0),    value, gradient, rows, rows,
                                                             zeros<T>(shape<Memory>{})};
    }
    template <class Loss, class State, class P> constexpr auto next(Loss const& loss, State const& state, P const& params) const {
        using T = detail::flat_number<P>;
        trace_scope& scope = *tx::detail::symbolic_scope(state, params);
        detail::flat_expr<P> const x = detail::flattened(scope, params), gradient = detail::flattened(scope, state.gradient);
        auto const value = detail::scalar_in<T>(scope, state.value);
        auto const direction = detail::descent_direction(gradient, state);
        auto const [far, next_value, next_gradient] = detail::line_search(loss, params, x, direction, value, gradient, *this);
        auto const step = far * direction, change = next_gradient - gradient;
        auto const product = sum(step * change);
        auto const curves = product > std::numeric_limits<T>::min();
        auto const inverse = where(curves, T(1) / where(curves, product, T(1)), T(0));
        auto const added = [&](auto const& rows, auto const& row) { return where(curves, detail::with_first(rows, row), rows); };
        return std::pair(detail::unflattened(x + step, params),
                         State{detail::kept_as<detail::step_count>(state.count + 1), next_value, next_gradient,
                               added(state.steps, step), added(state.changes, change), added(state.inverses, inverse)});
    }
};

// Makes an L-BFGS optimizer that keeps Memory pairs of steps and changes of the gradient: lbfgs<5>({.max_line_search_steps = 10})
template <int Memory = 10> [[nodiscard]] constexpr lbfgs_optimizer<Memory> lbfgs(lbfgs_options o = {}) {
    return {o.max_line_search_steps, o.decrease, o.curvature};
}

} // namespace tx::optim
