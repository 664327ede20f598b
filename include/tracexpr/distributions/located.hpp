// This file has distributions whose numbers are each a function of one uniform number: the parameters move and scale the noise,
// so derivatives with respect to them are exact.
#pragma once

#include <tracexpr/distributions/source.hpp>

namespace tx::detail {

// Laplace noise is exponential noise with a random sign.
TRACEXPR_ONCE constexpr ad::value draw_laplace(random_draw const& d) {
    ad::value const size = 0.0 - log(d.from.fine_unit(d.noise(), 0)), sign = d.from.bits(dtype::uint32, 1);
    return d.located(chosen(less_than(sign, sign.like(0x1p31)), size, 0.0 - size));
}
template <class T> struct laplace_recipe : floating_recipe<T, 2, draw_laplace> {
    static constexpr char const* called = "laplace";
};
// Cauchy noise is tan(pi (u - 1/2)), where u is in the middle of its steps, so that numbers are symmetric about 0.
TRACEXPR_ONCE constexpr ad::value draw_cauchy(random_draw const& d) {
    ad::value const u = d.from.unit(d.noise(), 0), centred = u - 0.5 + (d.noise() == dtype::float32 ? 0x1p-25 : 0x1p-54);
    return d.located(ad::unary(op::tan, centred * 3.14159265358979323846264338327950288));
}
template <class T> struct cauchy_recipe : floating_recipe<T, 2, draw_cauchy> {
    static constexpr char const* called = "cauchy";
};
// Logistic noise is log(u / (1 - u)).
TRACEXPR_ONCE constexpr ad::value draw_logistic(random_draw const& d) {
    ad::value const u = fine_open_unit(d.from, d.noise());
    return d.located(log(u) - ad::unary(op::log1p, -u));
}
template <class T> struct logistic_recipe : floating_recipe<T, 2, draw_logistic> {
    static constexpr char const* called = "logistic";
};
// Gumbel noise is -log(-log(u)).
TRACEXPR_ONCE constexpr ad::value draw_gumbel(random_draw const& d) {
    return d.located(-log(fine_exponential(d.from, d.noise())));
}
template <class T> struct gumbel_recipe : floating_recipe<T, 2, draw_gumbel> {
    static constexpr char const* called = "gumbel";
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
