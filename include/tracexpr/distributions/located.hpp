// This file has distributions whose numbers are each a function of one uniform number: the parameters move and scale the noise,
// so derivatives with respect to them are exact.
#pragma once

#include <tracexpr/distributions/source.hpp>

namespace tx::detail {

// Laplace noise is exponential noise with a random sign.
template <class T> struct laplace_recipe : located_recipe<laplace_recipe<T>, T> {
    static constexpr char const* called = "laplace";
    template <class S> static constexpr auto standard(S const& from) {
        auto const size = 0 - log(fine_unit<noise_of<T>>(from));
        return where(from.template bits<std::uint32_t>(1) < 0x80000000u, size, 0 - size);
    }
};
// Cauchy noise is tan(pi (u - 1/2)), where u is in the middle of its steps, so that numbers are symmetric about 0.
template <class T> struct cauchy_recipe : located_recipe<cauchy_recipe<T>, T> {
    static constexpr char const* called = "cauchy";
    template <class S> static constexpr auto standard(S const& from) {
        using noise = noise_of<T>;
        constexpr noise half_step = std::is_same_v<noise, float> ? static_cast<noise>(0x1p-25) : static_cast<noise>(0x1p-54);
        auto const centred = unit_interval<noise>(from) - static_cast<noise>(0.5) + half_step;
        return tan(centred * static_cast<noise>(3.14159265358979323846264338327950288));
    }
};
// Logistic noise is log(u / (1 - u)).
template <class T> struct logistic_recipe : located_recipe<logistic_recipe<T>, T> {
    static constexpr char const* called = "logistic";
    template <class S> static constexpr auto standard(S const& from) {
        using noise = noise_of<T>;
        auto const u = minimum(fine_unit<noise>(from), last_before_one<noise>);
        return log(u) - log1p(-u);
    }
};
// Gumbel noise is -log(-log(u)).
template <class T> struct gumbel_recipe : located_recipe<gumbel_recipe<T>, T> {
    static constexpr char const* called = "gumbel";
    template <class S> static constexpr auto standard(S const& from) { return -log(fine_exponential<noise_of<T>>(from)); }
};

// Draws scale (-log(1 - u))^(1 / concentration).
struct weibull_builder {
    static constexpr char const* called = "weibull";
    static constexpr std::size_t least = 2, most = 2;
    static constexpr bool is_of(dtype type) { return is_floating(type); }
    static constexpr dtype number(dtype of) { return of; }
    TRACEXPR_ONCE static constexpr ad::value draw(random_source const& from, dtype noise, table_view<ad::value> p) {
        ad::value const u = from.fine_unit(noise, 0);
        ad::value const logarithm = log(log(minimum_of(u, u.like(noise == dtype::float32 ? 1 - 0x1p-24 : 1 - 0x1p-53))) * -1.0);
        return p[0] * exp(cast(logarithm, p[1].type()) / p[1]);
    }
};

} // namespace tx::detail
