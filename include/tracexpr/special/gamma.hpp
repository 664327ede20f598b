// This file holds the gamma and beta functions and their logarithms, by Stirling's formula (Abramowitz and Stegun, 6.1.37), whose
// sum of negative powers is a polynomial of 1 / x that interpolates at Chebyshev points from 1 to infinity; and the zeta
// function.
#pragma once

#include <tracexpr/special/values.hpp>

namespace tx::detail::special_functions {

// This polynomial of 2 / x - 1 gives sqrt(2 pi / x) (x / e)^x / gamma(x) for x >= 1.
inline constexpr double inverse_stirling[]{
    0.9595021757444916,      -0.03907638904927449,   0.001618534496058312,   0.00014007351826922362, -5.410225621266939e-05,
    5.908543980514213e-06,   1.6296284165239201e-06, -1.093677167271571e-06, 3.07872731304022e-07,   -1.852012750618614e-08,
    -3.3184337875198314e-08, 2.2879721637072757e-08, -8.891715770861706e-09, 1.6290143524708148e-09, 4.854125444401559e-10,
    -5.529535261691999e-10,  5.30614943609676e-10,   -4.41239594765915e-10,  7.234935954812618e-11,  1.1767122567991188e-10,
    -4.991370859115627e-11};

inline constexpr double sqrt_two_pi = 2.5066282746310005024, log_two_pi = 1.8378770664093454836;

// Computes sqrt(2 pi / x) (x / e)^x / gamma(x) for x >= 1.
constexpr value inverse_gamma_ratio(value const& x) { return polynomial(2 / x - 1, inverse_stirling); }

constexpr value digamma(value const& x) { return ad::record(op::polygamma, {x.like(0), x}); }

// Splits gamma(x) = factor * root * root for x >= 1, where root = (x / e)^(x / 2) is multiplied last if the product may overflow.
// The rounding error of x / e, which is amplified by x, is corrected.
struct gamma_parts {
    value factor, root;
    constexpr explicit gamma_parts(value const& x) {
        constexpr double inverse_e = 0.36787944117144232160, e = 2.7182818284590452354, e_low = 1.4456468917292502e-16;
        value const base = x * inverse_e, missing = lost_by_product(base, e, x) + base * e_low;
        root = power(base, half(x));
        factor = (1 - missing) * sqrt_two_pi / (ad::sqrt(x) * inverse_gamma_ratio(x));
    }
};
// Computes sin(pi x) for x >= 0.
TRACEXPR_ONCE constexpr value sine_of_half_turns(value const& x) {
    value const whole = ad::unary(op::round, x), odd = whole - 2 * ad::unary(op::floor, half(whole));
    return ad::sin(pi * (x - whole)) * (1 - 2 * odd);
}
TRACEXPR_ONCE constexpr value gamma_of(value const& x) {
    value const size = absolute(x), small = less(size, 1), large = minimum(choose(small, size + 1, size), 200);
    gamma_parts const parts(large);
    value const at = choose(small, parts.factor / size, parts.factor), positive = at * parts.root * parts.root;
    value const sine = sine_of_half_turns(minimum(size, 200));
    value const shifted = choose(small, parts.factor, minimum(size, 200) * at); // gamma(size + 1) without root * root
    value const negative = -pi / (sine * shifted) / parts.root / parts.root;
    value const pole = both(less(x, 0), ad::record(op::equal, {x, ad::unary(op::floor, x)}));
    value const out = choose(less(x, 0), choose(greater(size, 190), 0.0, negative), choose(greater(x, 180), infinity, positive));
    return choose(pole, not_a_number, choose(equal(x, 0), 1 / x, out));
}
struct gamma_fn {
    static constexpr char const* called = "gamma";
    static constexpr value compute(value const* x) { return gamma_of(x[0]); }
    static constexpr value slope(trace_scope&, value const* x, value const& y, std::size_t) { return y * digamma(x[0]); }
    static constexpr definition recorded{compute, slope};
};

// Splits B(a, b) for a, b >= 1 as exp(-exponent) times a factor near 1.
struct beta_parts {
    value exponent, factor;
    constexpr beta_parts(value const& a, value const& b) {
        value const sum = a + b;
        exponent = a * ad::unary(op::log1p, b / a) + b * ad::unary(op::log1p, a / b);
        factor = sqrt_two_pi / ad::sqrt(a) * ad::sqrt(sum / b) * inverse_gamma_ratio(sum) /
                 (inverse_gamma_ratio(a) * inverse_gamma_ratio(b));
    }
};
// Computes B(a, b) of positive numbers. Numbers below 1 are increased by 1: B(a, b) = B(a + 1, b) (a + b) / a.
TRACEXPR_ONCE constexpr value beta_of_positive(value const& a, value const& b, bool logarithm) {
    value const low_a = less(a, 1), low_b = less(b, 1), sum = a + b;
    value const grown_a = choose(low_a, a + 1, a), grown_b = choose(low_b, b + 1, b);
    value const by_a = choose(low_a, sum / choose(low_a, a, 1.0), 1.0),
                by_b = choose(low_b, (grown_a + b) / choose(low_b, b, 1.0), 1.0);
    beta_parts const parts(grown_a, grown_b);
    if (logarithm) return ad::log(parts.factor * by_a * by_b) - parts.exponent;
    return ad::exp(-parts.exponent) * parts.factor * by_a * by_b;
}
TRACEXPR_ONCE constexpr value beta_of(value const* x, bool logarithm) {
    value const a = x[0], b = x[1];
    value const positive = both(both(greater(a, 0), greater(b, 0)), both(less(a, 1e300), less(b, 1e300)));
    value const one = choose(positive, a, 1.0), other = choose(positive, b, 1.0), out = beta_of_positive(one, other, logarithm);
    value const safe_a = choose(positive, 1.5, a), safe_b = choose(positive, 1.5, b);
    value const product = gamma_of(safe_a) / gamma_of(safe_a + safe_b) * gamma_of(safe_b);
    value const pole = either(equal(a, 0), equal(b, 0)), ended = either(equal(a, infinity), equal(b, infinity));
    value const rest = choose(pole, infinity, choose(ended, 0.0, product));
    return choose(positive, out, logarithm ? ad::log(absolute(rest)) : rest);
}
struct beta_fn {
    static constexpr char const* called = "beta";
    static constexpr value compute(value const* x) { return beta_of(x, false); }
    static constexpr value slope(trace_scope&, value const* x, value const& y, std::size_t k) {
        return y * (digamma(x[k]) - digamma(x[0] + x[1]));
    }
    static constexpr definition recorded{compute, slope, 2};
};
struct betaln_fn {
    static constexpr char const* called = "betaln";
    static constexpr value compute(value const* x) { return beta_of(x, true); }
    static constexpr value slope(trace_scope&, value const* x, value const&, std::size_t k) {
        return digamma(x[k]) - digamma(x[0] + x[1]);
    }
    static constexpr definition recorded{compute, slope, 2};
};

// Computes the sum of (q + k)^-x by ten terms and the Euler-Maclaurin formula (Abramowitz and Stegun, 23.1.30).
struct zeta_fn {
    static constexpr char const* called = "zeta";
    static constexpr int terms = 10;
    TRACEXPR_ONCE static constexpr value compute(value const* operands) {
        constexpr double b[]{0.08333333333333333,   -0.001388888888888889,  3.306878306878307e-05,  -8.267195767195768e-07,
                             2.08767569878681e-08,  -5.284190138687493e-10, 1.3382536530684679e-11, -3.3896802963225827e-13,
                             8.586062056277845e-15, -2.174868698558062e-16, 5.5090028283602295e-18, -1.3954464685812522e-19};
        value const inside =
            both(both(greater(operands[0], 1), less(operands[0], 1e4)), both(greater(operands[1], 0), less(operands[1], 1e100)));
        value const x = choose(inside, operands[0], 2.0), q = choose(inside, operands[1], 1.0);
        value sum = power(q, -x), last = q;
        for (int k = 1; k < terms; ++k) sum = sum + power(q + double(k), -x);
        last = q + double(terms);
        value rest = last / (x - 1) + 0.5, factor = x / last;
        for (int j = 0; j < 12; ++j) {
            rest = rest + factor * b[j];
            if (j < 11) factor = factor * ((x + double(2 * j + 1)) / last) * ((x + double(2 * j + 2)) / last);
        }
        return choose(inside, sum + power(last, -x) * rest, outside(operands[0], operands[1]));
    }
    // Handles all other arguments: if x or q is large, one term gives the sum, and there are poles at integers q <= 0.
    TRACEXPR_ONCE static constexpr value outside(value const& x, value const& q) {
        value const large = both(greater(x, 1), greater(q, 0)), pole = ad::record(op::equal, {q, ad::unary(op::floor, q)});
        value const one = power(choose(large, q, 1.0), -choose(large, x, 1.0)),
                    of_large_q = choose(equal(q, infinity), 0.0, one * (q / (x - 1) + 0.5));
        value const beyond = choose(greater(q, 1e99), of_large_q, one);
        value const none = choose(both(pole, greater(x, 1)), infinity, choose(equal(x, 1), infinity, x.like(not_a_number)));
        return choose(large, beyond, none);
    }
    static constexpr value slope(trace_scope& scope, value const* x, value const&, std::size_t);
    static constexpr definition recorded{compute, slope, 2, true, 1};
};
constexpr value zeta_fn::slope(trace_scope& scope, value const* x, value const&, std::size_t) { // with respect to q
    return -x[0] * call(scope, recorded, x[0] + 1, x[1]);
}

} // namespace tx::detail::special_functions
