// Schedules are learning rates as functions of the number of the step, counted from 0, which is a C++ number or a scalar. They
// compute in the dtype of that number: optimizers pass it in the dtype of the parameters, and integers are converted to float64.
// (Optax's schedules)
#pragma once

#include <tracexpr/base/print.hpp>
#include <tracexpr/trace/functions.hpp>

#include <limits>
#include <optional>
#include <string>

namespace tx::optim {

namespace detail {
template <class Step> constexpr auto floating_step(Step const& step) {
    if constexpr (is_floating(tx::detail::dtype_of_operand<Step>)) return step;
    else if constexpr (scalar_type<Step>) return static_cast<double>(step);
    else return tx::cast<double>(step);
}
// Periods without length never end: the number of steps divided by an infinite length is 0.
constexpr double length_of_period(double steps) { return steps > 0 ? steps : std::numeric_limits<double>::infinity(); }
[[noreturn]] TRACEXPR_ONCE void throw_no_steps(char const* schedule, char const* what_must_hold, double given) {
    throw error(std::string("tx: optim::") + schedule + ": " + what_must_hold + "; given " +
                tx::detail::format_scalar(given, dtype::float64));
}
} // namespace detail

// The rate is the same at each step.
struct constant {
    double value;
    template <operand Step> constexpr double operator()(Step const&) const { return value; }
};

// The rate is initial * rate^((step - begin) / steps) from step `begin` on; in a staircase the exponent is rounded down. It
// doesn't pass `end`. If `steps` isn't positive, it is always `initial`.
struct exponential_decay {
    double initial;
    double steps;
    double rate;
    double begin = 0;
    bool staircase = false;
    std::optional<double> end{};

    template <operand Step> constexpr auto operator()(Step const& step) const {
        auto const since = maximum(detail::floating_step(step) - begin, 0.0);
        auto const periods = since / detail::length_of_period(steps);
        return bounded(initial * (staircase ? pow(rate, floor(periods)) : pow(rate, periods)));
    }

private:
    template <class V> constexpr auto bounded(V const& value) const {
        if (!end || !(steps > 0)) return value;
        return rate < 1 ? maximum(value, *end) : minimum(value, *end);
    }
};

// The rate falls from `initial` to alpha * initial along half a cosine of `steps` steps, then is constant. Throws tx::error if
// `steps` isn't positive.
struct cosine_decay {
    double initial;
    double steps;
    double alpha = 0;
    double exponent = 1;

    template <operand Step> constexpr auto operator()(Step const& step) const {
        constexpr double pi = 3.14159265358979323846;
        if (!(steps > 0)) detail::throw_no_steps("cosine_decay", "steps must be positive", steps);
        auto const wave = 0.5 * (1.0 + cos(pi * (minimum(detail::floating_step(step), steps) / steps)));
        auto const decayed = exponent == 1 ? wave : pow(wave, exponent);
        return initial * ((1.0 - alpha) * decayed + alpha);
    }
};

// The rate goes from `initial` to `last` linearly in `steps` steps from step `begin` on, then is constant. If `steps` isn't
// positive, it is always `initial`.
struct linear {
    double initial;
    double last;
    double steps;
    double begin = 0;

    template <operand Step> constexpr auto operator()(Step const& step) const {
        double const length = detail::length_of_period(steps), to = steps > 0 ? last : initial;
        auto const left = 1.0 - clip(detail::floating_step(step) - begin, 0.0, length) / length;
        return (initial - to) * left + to;
    }
};

// The rate rises from `initial` to `peak` linearly in `warmup_steps`, then falls to `last` along half a cosine, which ends at
// step `steps`. Throws tx::error unless steps > warmup_steps.
struct warmup_cosine_decay {
    double initial;
    double peak;
    double warmup_steps;
    double steps;
    double last = 0;

    template <operand Step> constexpr auto operator()(Step const& step) const {
        if (!(steps > warmup_steps))
            detail::throw_no_steps("warmup_cosine_decay", "steps, which count those of the warmup, must be more than these",
                                   steps);
        auto const t = detail::floating_step(step);
        auto const up = linear{initial, peak, warmup_steps}(t);
        auto const down = cosine_decay{peak, steps - warmup_steps, peak == 0 ? 0 : last / peak}(t - warmup_steps);
        return where(t < warmup_steps, up, down);
    }
};

} // namespace tx::optim
