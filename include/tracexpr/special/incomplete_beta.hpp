// This file holds the regularized incomplete beta function: a continued fraction of a fixed number of terms (DiDonato and Morris,
// Algorithm 708, 1992; Boost's ibeta_fraction2), and Gauss-Legendre quadrature where both parameters are large.
#pragma once

#include <tracexpr/special/incomplete_gamma.hpp>

#include <bit>

namespace tx::detail::special_functions {

// The points and weights of the Gauss-Legendre rule with 32 points on [0, 1].
inline constexpr double gauss_points[]{0.0013680690752592183, 0.007194244227365833, 0.017618872206246784, 0.03254696203113015,
                                       0.05183942211697394,   0.07531619313371501,  0.1027581020160288,   0.13390894062985517,
                                       0.1684778665348924,    0.20614212137961885,  0.2465500455338853,   0.2893243619346823,
                                       0.33406569885893617,   0.38035631887393145,  0.42776401920860174,  0.4758461671561308,
                                       0.5241538328438692,    0.5722359807913983,   0.6196436811260685,   0.6659343011410638,
                                       0.7106756380653176,    0.7534499544661147,   0.7938578786203812,   0.8315221334651076,
                                       0.8660910593701449,    0.8972418979839712,   0.9246838068662849,   0.9481605778830261,
                                       0.9674530379688698,    0.9823811277937532,   0.9928057557726342,   0.9986319309247408};
inline constexpr double gauss_weights[]{0.003509305004735048, 0.008137197365452835, 0.01269603265463103,  0.017136931456510716,
                                        0.02141794901111334,  0.025499029631188087, 0.029342046739267772, 0.032911111388180925,
                                        0.03617289705442425,  0.039096947893535156, 0.041655962113473374, 0.043826046502201906,
                                        0.045586939347881945, 0.04692219954040228,  0.04781936003963743,  0.0482700442573639,
                                        0.0482700442573639,   0.04781936003963743,  0.04692219954040228,  0.045586939347881945,
                                        0.043826046502201906, 0.041655962113473374, 0.039096947893535156, 0.03617289705442425,
                                        0.032911111388180925, 0.029342046739267772, 0.025499029631188087, 0.02141794901111334,
                                        0.017136931456510716, 0.01269603265463103,  0.008137197365452835, 0.003509305004735048};

// Holds what I_x(a, b) is computed from for x <= a / (a + b): y = 1 - x, density = x^a y^b / B(a, b).
struct incomplete_beta_parts {
    value a, b, x, y, density;

    constexpr incomplete_beta_parts(value const& a_, value const& b_, value const& x_, value const& y_)
        : a{a_}, b{b_}, x{x_}, y{y_} {
        value const low_a = less(a, 1), low_b = less(b, 1), grown_a = choose(low_a, a + 1, a), grown_b = choose(low_b, b + 1, b);
        beta_parts const parts(grown_a, grown_b);
        value const both_large = both(greater(a, 1), greater(b, 1));
        // If a and b are above 1, the powers are those of x (a + b) / a and y (a + b) / b, whose logarithms nearly cancel.
        value const total = a + b, distance = b * x - a * y;
        value const near = decay(distance / a, x * total / a, a) + decay(-distance / b, y * total / b, b);
        value const small = a * ad::log(x) + b * ad::log(y) + parts.exponent;
        value const by_a = choose(low_a, a / total, 1.0), by_b = choose(low_b, b / (grown_a + b), 1.0);
        density = ad::exp(choose(both_large, -near, small)) / parts.factor * by_a * by_b;
    }

private:
    // Computes times (u - log(ratio)), where ratio = 1 + u.
    TRACEXPR_ONCE static constexpr value decay(value const& u, value const& ratio, value const& times) {
        value const is_small = less(absolute(u), 0.32), small = clamp(u, -0.32, 0.32);
        value const far = u - ad::log(choose(is_small, 2.0, ratio));
        return times * choose(is_small, half(ad::square(small)) * polynomial(small, log1p_remainder), far);
    }
};
// Evaluates the continued fraction from its last level: level k is k + ... + over(k + 1) / level k + 1.
TRACEXPR_ONCE constexpr value beta_fraction(incomplete_beta_parts const& p) {
    value const &a = p.a, &b = p.b, &x = p.x;
    value const sum_x = (a + b) * x, tilt = a * p.y - b * x + 1, growth = 2 - x;
    constexpr int terms = 40;
    value f, inverse_above; // 1 / (a + 2 k + 1)
    for (int k = terms; k >= 0; --k) {
        value const inverse = k ? 1 / (a + (2.0 * k - 1)) : value{};
        if (k == terms) inverse_above = 1 / (a + (2.0 * k + 1));
        value level = (a + double(k)) * inverse_above * (tilt + double(k) * growth);
        value const pull = k ? double(k) * (b - double(k)) * x * inverse : value{};
        if (k) level = level + double(k) + pull;
        if (k < terms) level = level + f;
        if (k == 0) return p.density / level;
        value const over = (a + double(k - 1)) * inverse * ((sum_x + double(k - 1) * x) * inverse) * (pull / inverse);
        f = over / level;
        inverse_above = inverse;
    }
    return f;
}
// Computes density / y times the integral of (1 - s)^(a - 1) (1 + s x / y)^(b - 1) from s = 0 to where it vanishes. The sum over
// the points is a reduction over one more axis.
TRACEXPR_ONCE constexpr value beta_quadrature(incomplete_beta_parts const& p) {
    value const a = maximum(p.a, 100) - 1, b = maximum(p.b, 100) - 1, ratio = p.x / p.y;
    value const fall = maximum(a - b * ratio, 0), curvature = a + b * ad::square(ratio);
    constexpr double drop = 38;
    value const width = minimum(1.4 * 2 * drop / (fall + ad::sqrt(ad::square(fall) + 2 * drop * curvature)), 1);
    auto const integrand = [](value const& step, value const& steepness, value const& power, value const& other) {
        return ad::exp(power * ad::unary(op::log1p, -step) + other * ad::unary(op::log1p, steepness * step));
    };
    value sum;
    graph& g = width.owner();
    int const rank = width.rank();
    if (rank == max_rank || is_dual(width.type())) {
        for (int k = 0; k < 32; ++k) sum = sum + gauss_weights[k] * integrand(gauss_points[k] * width, ratio, a, b);
    } else {
        std::uint64_t points[32]{}, weights[32]{};
        for (int k = 0; k < 32; ++k)
            points[k] = std::bit_cast<std::uint64_t>(gauss_points[k]),
            weights[k] = std::bit_cast<std::uint64_t>(gauss_weights[k]);
        value const at(g, g.append_constant(dtype::float64, dims{{32}, 1}, points)),
            by(g, g.append_constant(dtype::float64, dims{{32}, 1}, weights));
        auto const expanded = [&](value const& v) {
            return v.rank() == 0 && rank != 0 ? v : ad::unary(op::expand_dims, v, attribute_list(v.rank()));
        };
        value const terms = by * integrand(at * expanded(width), expanded(ratio), expanded(a), expanded(b));
        sum = ad::unary(op::sum, terms, attribute_list(0, rank));
    }
    return p.density / p.y * width * sum;
}

struct betainc_fn {
    static constexpr char const* called = "betainc";
    TRACEXPR_ONCE static constexpr value compute(value const* operands) {
        value const &a = operands[0], &b = operands[1], &x = operands[2];
        value const inside = both(both(both(greater(a, 0), less(a, infinity)), both(greater(b, 0), less(b, infinity))),
                                  both(greater(x, 0), less(x, 1)));
        value const safe_a = choose(inside, a, 1.0), safe_b = choose(inside, b, 1.0), safe_x = choose(inside, x, 0.5);
        value const y = 1 - safe_x, above = less(safe_a * y, safe_b * safe_x);
        // The fraction converges slowly near 1, where little of b is left above x.
        value const slow = both(greater(safe_x, 0.955), both(less(safe_b, 4), less(safe_a * y, 3)));
        value const swaps = either(above, slow);
        incomplete_beta_parts const p(choose(swaps, safe_b, safe_a), choose(swaps, safe_a, safe_b), choose(swaps, y, safe_x),
                                      choose(swaps, safe_x, y));
        value const large = greater(minimum(p.a, p.b), 250), out = choose(large, beta_quadrature(p), beta_fraction(p));
        return choose(inside, choose(swaps, 1 - out, out), edge(a, b, x));
    }
    // If a or b is 0 or infinite, the whole distribution lies at one end.
    TRACEXPR_ONCE static constexpr value edge(value const& a, value const& b, value const& x) {
        value const known =
            both(both(ad::record(op::greater_equal, {a, a.like(0)}), ad::record(op::greater_equal, {b, b.like(0)})),
                 both(ad::record(op::greater_equal, {x, x.like(0)}), ad::record(op::less_equal, {x, x.like(1)})));
        value const at_start = either(equal(a, 0), equal(b, infinity)), at_end = either(equal(b, 0), equal(a, infinity));
        value const inner = choose(both(at_start, at_end), not_a_number, choose(at_start, 1.0, a.like(0)));
        return choose(known, choose(equal(x, 0), 0.0, choose(equal(x, 1), 1.0, inner)), not_a_number);
    }
    static constexpr value slope(trace_scope& scope, value const* x, value const& y, std::size_t k);
    static constexpr definition recorded{compute, slope, 3, true, 3};
};
// Computes x^(a - 1) (1 - x)^(b - 1) / B(a, b), the slope with respect to x.
struct beta_density_fn {
    TRACEXPR_ONCE static constexpr value compute(value const* operands) {
        value const &a = operands[0], &b = operands[1], &x = operands[2];
        value const inside = both(both(both(greater(a, 0), less(a, infinity)), both(greater(b, 0), less(b, infinity))),
                                  both(greater(x, 0), less(x, 1)));
        value const safe_x = choose(inside, x, 0.5), y = 1 - safe_x;
        incomplete_beta_parts const p(choose(inside, a, 1.0), choose(inside, b, 1.0), safe_x, y);
        value const at_zero = choose(less(a, 1), infinity, choose(equal(a, 1), b, 0.0)),
                    at_one = choose(less(b, 1), infinity, choose(equal(b, 1), a, 0.0));
        value const edge = choose(equal(x, 0), at_zero, choose(equal(x, 1), at_one, not_a_number));
        return choose(inside, p.density / (safe_x * y), edge);
    }
    TRACEXPR_ONCE static constexpr value slope(trace_scope&, value const* operands, value const& y, std::size_t k) {
        value const &a = operands[0], &b = operands[1], &x = operands[2];
        if (k == 2) return y * ((a - 1) / x - (b - 1) / (1 - x));
        value const of_sum = digamma(a + b);
        return k == 0 ? y * (ad::log(x) - digamma(a) + of_sum) : y * (ad::unary(op::log1p, -x) - digamma(b) + of_sum);
    }
    static constexpr definition recorded{compute, slope, 3};
};
constexpr value betainc_fn::slope(trace_scope& scope, value const* x, value const&, std::size_t) {
    return call(scope, beta_density_fn::recorded, x[0], x[1], x[2]);
}

} // namespace tx::detail::special_functions
