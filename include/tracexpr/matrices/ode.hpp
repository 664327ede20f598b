// tx::ode solves initial value problems y' = f(y, t) by the method of Dormand and Prince with adaptive steps.
#pragma once

#include <tracexpr/trace/functions.hpp>
#include <tracexpr/trace/operand_checks.hpp>
#include <tracexpr/transforms/loops.hpp>

#include <cstdint>
#include <limits>

namespace tx {

// The options of tx::ode: the relative and absolute error that a step may have, and how many steps there may be between two of
// the given times.
struct ode_options {
    double relative = 1.4e-8;
    double absolute = 1.4e-8;
    std::int64_t max_steps = 100000;
};

namespace detail {

// The coefficients, error estimate and choice of steps follow E. Hairer, S. Norsett and G. Wanner, Solving Ordinary Differential
// Equations I (1993), II.5 and II.6.
template <class F, class... A> struct dormand_prince {
    F const& f;
    ode_options options;
    std::tuple<A const&...> arguments;

    template <class Y, class T> constexpr auto slope(Y const& y, T const& t) const {
        return std::apply([&](auto const&... a) { return f(y, t, a...); }, arguments);
    }
    // Returns y at the end of the step, its slope there, the error estimate, and y at the middle of the step.
    template <class Y, class T> constexpr auto step(Y const& y, Y const& k1, T const& t, T const& h) const {
        auto const k2 = slope(y + h * (k1 * (1.0 / 5)), t + h * (1.0 / 5));
        auto const k3 = slope(y + h * (k1 * (3.0 / 40) + k2 * (9.0 / 40)), t + h * (3.0 / 10));
        auto const k4 = slope(y + h * (k1 * (44.0 / 45) - k2 * (56.0 / 15) + k3 * (32.0 / 9)), t + h * (4.0 / 5));
        auto const k5 =
            slope(y + h * (k1 * (19372.0 / 6561) - k2 * (25360.0 / 2187) + k3 * (64448.0 / 6561) - k4 * (212.0 / 729)),
                  t + h * (8.0 / 9));
        auto const k6 = slope(y + h * (k1 * (9017.0 / 3168) - k2 * (355.0 / 33) + k3 * (46732.0 / 5247) + k4 * (49.0 / 176) -
                                       k5 * (5103.0 / 18656)),
                              t + h);
        auto const next =
            y + h * (k1 * (35.0 / 384) + k3 * (500.0 / 1113) + k4 * (125.0 / 192) - k5 * (2187.0 / 6784) + k6 * (11.0 / 84));
        auto const k7 = slope(next, t + h);
        auto const error = h * (k1 * (71.0 / 57600) - k3 * (71.0 / 16695) + k4 * (71.0 / 1920) - k5 * (17253.0 / 339200) +
                                k6 * (22.0 / 525) - k7 * (1.0 / 40));
        auto const middle = y + h * (k1 * (6025192743.0 / 30085553152.0 / 2) + k3 * (51252292925.0 / 65400821598.0 / 2) -
                                     k4 * (2691868925.0 / 45128329728.0 / 2) + k5 * (187940372067.0 / 1594534317056.0 / 2) -
                                     k6 * (1776094331.0 / 19743644256.0 / 2) + k7 * (11237099.0 / 235043384.0 / 2));
        return std::tuple(next, k7, error, middle);
    }
    // Computes the root mean square of the error divided by the error that is allowed.
    template <class Y> constexpr auto ratio(Y const& error, Y const& y, Y const& next) const {
        auto const allowed = options.absolute + options.relative * tx::maximum(tx::abs(y), tx::abs(next));
        return tx::sqrt(tx::mean(tx::square(error / allowed)));
    }
    // Chooses the size of the first step, as Hairer chooses it (II.4).
    template <class Y, class T> constexpr auto first_step(Y const& y, Y const& k1, T const& t) const {
        auto const allowed = options.absolute + options.relative * tx::abs(y);
        auto const size = [&](auto const& x) { return tx::sqrt(tx::mean(tx::square(x / allowed))); };
        auto const of_y = size(y), of_slope = size(k1);
        auto const is_small = tx::logical_or(of_y < 1e-5, of_slope < 1e-5);
        auto const h0 = tx::where(is_small, of_y * 0 + 1e-6, 0.01 * of_y / tx::where(is_small, of_slope * 0 + 1, of_slope));
        auto const k2 = slope(y + h0 * k1, t + h0);
        auto const largest = tx::maximum(of_slope, size(k2 - k1) / h0);
        auto const h1 =
            tx::where(largest <= 1e-15, tx::maximum(h0 * 1e-3, 1e-6), tx::pow(0.01 / tx::maximum(largest, 1e-15), 0.2));
        return tx::minimum(100 * h0, h1);
    }
};

// Evaluates at y(t + s h) the polynomial of degree 4 that has the values and slopes of both ends of a step, and its value in the
// middle.
template <class Y, class T, class S>
constexpr auto at_part(Y const& y0, Y const& y1, Y const& k0, Y const& k1, Y const& middle, T const& h, S const& s) {
    auto const a = h * (k1 - k0) * 2 - 8 * (y1 + y0) + 16 * middle;
    auto const b = h * (5 * k0 - 3 * k1) + 18 * y0 + 14 * y1 - 32 * middle;
    auto const c = h * (k1 - 4 * k0) - 11 * y0 - 5 * y1 + 16 * middle;
    return y0 + s * (h * k0 + s * (c + s * (b + s * a)));
}

template <class F, class Y, class T, class... A> inline constexpr bool is_slope =
    std::is_invocable_v<F const&, Y const&, decltype(tx::slice(std::declval<T const&>(), tx::at<0>)) const&, A const&...>;
struct ode_times {
    static constexpr char const* called = "ode";
    TRACEXPR_ONCE static constexpr char const* problem(builder_specs given) {
        return given[0].shape.rank == 1 && given[0].shape[0] == 0 ? "needs a time, that of y0" : nullptr;
    }
};
// Throws where the times don't ascend, as far as their values are known.
template <class T> constexpr void check_times(T const& times) {
    double last = -std::numeric_limits<double>::infinity();
    for_each_known(times, [&](double time) {
        if (time < last) throw_value(ode_times::called, "the times must grow; one is less than the one before it", time);
        last = time;
    });
}

} // namespace detail

inline namespace TRACEXPR_CALLS {

// Gives y at the given times for y' = f(y, t, args...), y(times[0]) = y0: f returns the slope, in the shape of y. y0 (s...) ->
// (n, s...). The times (n) must ascend, or an error is thrown; in a trace, where values are not known, y is NaN where they
// descend. The method has order 5 with an error estimate of order 4, and interpolates by a polynomial of degree 4 between steps.
// Derivatives go through the steps, whose sizes count as constant. (JAX: jax.experimental.ode.odeint)
template <class F, array_operand Y, array_operand T, operand... A>
[[nodiscard]] constexpr auto ode(ode_options const& options, F const& f, Y const& y0, T const& times, A const&... arguments) {
    constexpr bool has_times = detail::dims_of_operand<T>.rank == 1;
    static_assert(has_times, "tx: ode: the times must be a vector, whose type tells its rank");
    constexpr bool are_floating =
        is_floating(detail::dtype_of_operand<Y>) && detail::dtype_of_operand<T> == detail::dtype_of_operand<Y>;
    static_assert(are_floating, "tx: ode: y0 and the times must be floating, of one dtype; cast one of them");
    constexpr bool is_slope = !has_times || detail::is_slope<F, Y, T, A...>;
    static_assert(is_slope,
                  "tx: ode: f is called as f(y, t, args...), with the arguments behind the times, and gives the slope of y");
    if constexpr (!has_times || !are_floating || !is_slope) {
        return detail::failed{};
    } else {
        detail::dormand_prince<F, A...> const method{f, options, {arguments...}};
        detail::check_times(times);
        auto const t0 = tx::slice(detail::checked<detail::ode_times>(detail::as_operand(times), times), tx::at<0>);
        auto const k0 = method.slope(y0, t0);
        auto const h0 = tx::stop_gradient(method.first_step(y0 + k0 * 0, k0 + y0 * 0, t0));
        auto const y = y0 + k0 * 0, k = k0 + y0 * 0;
        // Steps until the wanted time is reached. The state has the end of the last step, the size of the next one, and the data
        // of the last step's polynomial.
        auto const to_time = [&](auto const& state, auto const& wanted) {
            auto const goes_on = [&](auto const& i, auto const& t, auto const&...) {
                return tx::logical_and(t < wanted, i < options.max_steps);
            };
            auto const step = [&](auto const& i, auto const& t, auto const& h, auto const& now, auto const& slope,
                                  auto const& last_t, auto const& last_h, auto const& last, auto const& last_slope,
                                  auto const& last_middle) {
                auto const [next, next_slope, error, middle] = method.step(now, slope, t, h);
                auto const ratio = tx::stop_gradient(method.ratio(error, now, next));
                auto const is_good = ratio <= 1; // false for NaN
                auto const factor = tx::minimum(tx::maximum(0.9 * tx::pow(tx::maximum(ratio, 1e-10), -0.2), 0.2), 10);
                auto const next_h =
                    tx::where(tx::isfinite(ratio), h * tx::where(is_good, factor, tx::minimum(factor, 1)), h * 0.1);
                return std::tuple(i + 1, tx::where(is_good, t + h, t), next_h, tx::where(is_good, next, now),
                                  tx::where(is_good, next_slope, slope), tx::where(is_good, t, last_t),
                                  tx::where(is_good, h, last_h), tx::where(is_good, now, last),
                                  tx::where(is_good, slope, last_slope), tx::where(is_good, middle, last_middle));
            };
            auto const [t, h, now, slope, last_t, last_h, last, last_slope, last_middle] = state;
            auto const start = tx::cast<std::int64_t>(h) * 0;
            auto const out =
                tx::while_loop(goes_on, step, start, t, h, now, slope, last_t, last_h, last, last_slope, last_middle);
            auto const nan = std::numeric_limits<double>::quiet_NaN();
            auto const reached = (wanted - std::get<5>(out)) / std::get<6>(out);
            auto const part = tx::where(wanted < std::get<5>(out), reached * 0 + nan, reached);
            auto const value = detail::at_part(std::get<7>(out), std::get<3>(out), std::get<8>(out), std::get<4>(out),
                                               std::get<9>(out), std::get<6>(out), part);
            auto const rest = std::tuple(std::get<1>(out), std::get<2>(out), std::get<3>(out), std::get<4>(out), std::get<5>(out),
                                         std::get<6>(out), std::get<7>(out), std::get<8>(out), std::get<9>(out));
            return std::pair(rest, value);
        };
        auto const start = std::tuple(t0 + h0 * 0, h0 + t0 * 0, y, k, t0 + h0 * 0, h0 + t0 * 0, y, k, y);
        return tx::scan(to_time, start, times).second;
    }
}
template <class F, array_operand Y, array_operand T, operand... A>
[[nodiscard]] constexpr auto ode(F const& f, Y const& y0, T const& times, A const&... arguments) {
    return tx::ode(ode_options{}, f, y0, times, arguments...);
}

} // namespace TRACEXPR_CALLS
} // namespace tx
