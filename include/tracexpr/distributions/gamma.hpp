// This file draws logarithms of gamma variables, which do not underflow where shape parameters are tiny, and what is made of
// them: the beta, Dirichlet and Student distributions. Derivatives with respect to the parameters are those of tx::random::gamma.
#pragma once

#include <tracexpr/distributions/source.hpp>

#include <limits>

namespace tx::detail {

// Draws the logarithm of what gamma_recipe draws from the same key: the method of Marsaglia and Tsang (2000) for alpha + 3, times
// three powers of uniform numbers by Stuart's theorem, which are sums here. `given` is in the dtype of the result.
TRACEXPR_ONCE constexpr ad::value log_gamma_draw(random_source const& from, dtype noise, ad::value const& given) {
    constexpr std::uint32_t candidates = 4, raised = 3, powers_from = 3;
    dtype const type = given.type(), words = random_source::bits_for(noise);
    ad::value const a = chosen(greater(given, given.like(0)), given, given.like(std::numeric_limits<double>::quiet_NaN()));
    ad::value const d = a + (raised - 1.0 / 3);
    ad::value power = cast(log(from.fine_unit(noise, powers_from)), type) / a;
    for (std::uint32_t k = 1; k < raised; ++k)
        power = power + cast(log(from.fine_unit(noise, powers_from + k)), type) / (a + static_cast<double>(k));
    auto const stacked = [&](std::uint32_t stream) { return from.stacked_bits(words, stream, candidates); };
    ad::value const x = cast(random_source::normal(stacked(0), stacked(1)), type);
    ad::value const u = cast(log(random_source::fine_unit(stacked(2))), type);
    ad::value const side = x / sqrt(d * 9.0) + 1.0,
                    logarithm = log(chosen(greater(side, side.like(0)), side, side.like(1))) * 3.0;
    ad::value const cube = side * side * side;
    ad::value const passes = logical_and(greater(side, side.like(0)), less_than(u, x * x * 0.5 + d * ((1.0 - cube) + logarithm)));
    ad::value accepted = logarithm.like(0); // the mode, which stands where all are refused, once in 4e7
    for (std::int64_t k = candidates; k-- > 0;) {
        auto const one = [&](ad::value const& all) { return ad::unary(op::squeeze, slice(all, 0, k, k + 1), attribute_list(0)); };
        accepted = chosen(one(passes), one(logarithm), accepted);
    }
    return log(d) + accepted + power;
}

struct log_gamma_builder {
    static constexpr char const* called = "log_gamma";
    static constexpr std::size_t least = 1, most = 1;
    static constexpr bool is_of(dtype type) { return is_floating(type); }
    static constexpr dtype number(dtype of) { return of; }
    static constexpr ad::value draw(random_source const& from, dtype noise, table_view<ad::value> p) {
        return log_gamma_draw(from, noise, p[0]);
    }
};
// Draws x / (x + y) of gamma variables x and y, as the sigmoid of log(x) - log(y).
struct beta_builder {
    static constexpr char const* called = "beta";
    static constexpr std::size_t least = 2, most = 2;
    static constexpr bool is_of(dtype type) { return is_floating(type); }
    static constexpr dtype number(dtype of) { return of; }
    TRACEXPR_ONCE static constexpr ad::value draw(random_source const& from, dtype noise, table_view<ad::value> p) {
        auto const of = [&](std::uint32_t which) {
            return log_gamma_draw(from.with_key(from.derived_key(which).id()), noise, p[which]);
        };
        return sigmoid(of(0) - of(1));
    }
};
// Draws a normal number over the root of a gamma variable of mean 1, which is then moved and scaled.
struct student_t_builder {
    static constexpr char const* called = "student_t";
    static constexpr std::size_t least = 1, most = 3;
    static constexpr bool is_of(dtype type) { return is_floating(type); }
    static constexpr dtype number(dtype of) { return of; }
    TRACEXPR_ONCE static constexpr ad::value draw(random_source const& from, dtype noise, table_view<ad::value> p) {
        ad::value const half = p[0] * 0.5;
        ad::value const spread = log_gamma_draw(from.with_key(from.derived_key().id()), noise, half) - log(half);
        ad::value const t = cast(from.normal(noise, 0), half.type()) * exp(spread * -0.5);
        // With infinitely many degrees of freedom this is the normal distribution.
        ad::value out = chosen(ad::unary(op::isinf, half), cast(from.normal(noise, 0), half.type()), t);
        if (p.size() > 2) out = out * p[2];
        return p.size() > 1 ? out + p[1] : out;
    }
};

} // namespace tx::detail
