// This file holds the regularized incomplete gamma functions. They use continued fractions of a fixed number of terms (DLMF 8.9.1
// for P, 8.9.2 for Q), and Temme's uniform expansion (DLMF 8.12) where a is large and x is near it; its sum is a polynomial of
// eta and of 1 / a that interpolates at Chebyshev points.
#pragma once

#include <tracexpr/special/gamma.hpp>

namespace tx::detail::special_functions {

// This polynomial of u gives 2 (u - log(1 + u)) / u^2 for |u| <= 0.42.
inline constexpr double log1p_remainder[]{1.0,
                                          -0.6666666666666664,
                                          0.4999999999999997,
                                          -0.4000000000001771,
                                          0.3333333333335046,
                                          -0.28571428568347484,
                                          0.24999999997020989,
                                          -0.22222222470202319,
                                          0.20000000239761512,
                                          -0.18181807036856362,
                                          0.1666665589128159,
                                          -0.15384923915328375,
                                          0.1428601257721798,
                                          -0.13327780281716964,
                                          0.12494631436767586,
                                          -0.11831420176878323,
                                          0.11175605647243904,
                                          -0.09989241976801669,
                                          0.09480834137720173,
                                          -0.12360250118489044,
                                          0.11832468987731665,
                                          0.005489579091255352,
                                          -0.006003835166572742,
                                          -0.23882647919117597,
                                          0.23034910149038015};
// This polynomial of 2 a - 1 gives log gamma(1 + a) / a for a <= 1.
inline constexpr double lgamma_of_small[]{
    -0.24156447527049044,    0.27805444924906697,     -0.044353899112896854,   0.009820705603133714,    -0.0024816898010490236,
    0.0006721846829855331,   -0.0001898258024931559,  5.5097616218622696e-05,  -1.6302861339725934e-05, 4.892819541320356e-06,
    -1.484540063588933e-06,  4.5435332271160426e-07,  -1.4006572569595664e-07, 4.3429278490077415e-08,  -1.3498077369276839e-08,
    4.224420317065063e-09,   -1.3699500407040754e-09, 4.320413056213583e-10,   -1.0474712795206161e-10, 3.311835672167677e-11,
    -2.3933398839462246e-11, 7.639092521777215e-12};
// These polynomials give Temme's S(a, eta): each is one of eta / 0.37, and temme_k is the coefficient of (40 / a - 1)^k.
inline constexpr double temme_0[]{-0.3333770363233761,    0.03080059666052037,     -0.0020190289141357697, 5.7372484413987376e-05,
                                  6.705925351627884e-06,  -1.2393993272304132e-06, 9.937666798997165e-08,  -1.893239715789396e-09,
                                  -6.650849573629406e-10, 1.0783270632522474e-10,  -8.326737145933695e-12, 5.914320437455202e-14,
                                  7.217358310309471e-14};
inline constexpr double temme_1[]{-4.11002190690664e-05,   -3.3353737767483035e-05, 9.183200753500844e-06,
                                  -1.253186082870652e-06,  9.382776031601534e-08,   3.885635485001877e-10,
                                  -1.2004535239113877e-09, 1.8132545391048914e-10,  -1.353205660533295e-11,
                                  -8.702504358906033e-14,  1.7920285065515738e-13,  -2.542703958993759e-14};
inline constexpr double temme_2[]{
    2.6118899491543635e-06, -6.154004080526462e-07,  6.291744642895342e-08,   6.981206734290431e-10,  -1.3210312466338194e-09,
    2.2864806126293398e-10, -1.9072590629822906e-11, -2.3134853246078706e-13, 3.3237279684759013e-13, -5.062601419579555e-14};
inline constexpr double temme_3[]{8.770478727064306e-09, 1.7763254669719266e-09, -1.0637197656848834e-09,
                                  2.107887490234767e-10, -2.008977387156019e-11, -4.5361416927652263e-13,
                                  4.989780099920177e-13, -8.286827738156521e-14};
inline constexpr double temme_4[]{-3.51108253782567e-10, 1.1126266540425361e-10,  -1.4013870820843333e-11, -5.182572245580088e-13,
                                  5.421002509095173e-13, -1.0515166061279249e-13, 8.98795855623433e-15};
inline constexpr double temme_5[]{-2.4703017575008947e-12, -5.671832576360328e-13, 4.183096776031216e-13, -9.577826374179676e-14,
                                  9.346332055283044e-15};
inline constexpr double temme_6[]{1.4130499118331225e-13, -5.077169580722918e-14, 6.407577503588475e-15};

// Holds what the regions have in common: u = x / a - 1, decay = a (u - log(1 + u)), and density = x^a exp(-x) / gamma(a).
struct incomplete_gamma_parts {
    value a, x, u, squares, decay, density;

    constexpr incomplete_gamma_parts(value const& given_a, value const& given_x) : a{given_a}, x{given_x} {
        value const ratio = minimum(x / a, 1e300);
        u = (x - a) / a;
        value const near = less(absolute(u), 0.32), small = clamp(u, -0.32, 0.32);
        squares = polynomial(small, log1p_remainder); // eta^2 / u^2
        value const log_ratio = ad::log(choose(near, 2.0, ratio));
        decay = choose(near, half(a * squares) * ad::square(small), (x - a) - a * log_ratio);
        density = ad::exp(-decay) * scale();
    }

private:
    // Computes a^a exp(-a) / gamma(a).
    TRACEXPR_ONCE constexpr value scale() const {
        value const small = minimum(a, 1), large = maximum(a, 1), log = ad::log(maximum(small, 1e-320));
        value const low = small * ad::exp(small * (log - 1 - polynomial(2 * small - 1, lgamma_of_small)));
        return choose(less(a, 1), low, ad::sqrt(large) * (1 / sqrt_two_pi) * inverse_gamma_ratio(large));
    }
};
// Computes P or Q for a >= 20 and |u| <= 0.32, as erfc(-+eta sqrt(a / 2)) / 2 -+ exp(-a eta^2 / 2) S / sqrt(2 pi a).
TRACEXPR_ONCE constexpr value near_transition(incomplete_gamma_parts const& parts, bool upper) {
    value const large = maximum(parts.a, 20), eta = clamp(parts.u, -0.32, 0.32) * ad::sqrt(parts.squares), t = eta * (1 / 0.37),
                w = 40 / large - 1;
    value sum = polynomial(t, temme_6);
    table_view<double> const rows[]{temme_0, temme_1, temme_2, temme_3, temme_4, temme_5};
    for (int k = 5; k >= 0; --k) sum = fused(sum, w, polynomial(t, rows[k]));
    value const root = ad::sqrt(large), z = eta * root * 0.70710678118654752440;
    value const more = ad::exp(-parts.decay) * sum * (1 / sqrt_two_pi) / root;
    return upper ? half(ad::unary(op::erfc, z)) + more : half(ad::unary(op::erfc, -z)) - more;
}
inline constexpr int fraction_terms = 30;
// Computes P by its continued fraction, for x < a or x < 2.5.
TRACEXPR_ONCE constexpr value lower_fraction(incomplete_gamma_parts const& parts) {
    value const a = minimum(parts.a, 1e100), x = minimum(parts.x, minimum(maximum(a, 2.5), 1e100));
    value f = a + double(fraction_terms);
    for (int n = fraction_terms; n > 0; --n) {
        value const over = n % 2 ? -((a + double((n - 1) / 2)) * x) : double(n / 2) * x;
        f = (a + double(n - 1)) + over / f;
    }
    return parts.density / f;
}
// Computes Q by its continued fraction, for x > a and x >= 2.5. The evaluation starts with an estimate of the fraction's tail.
TRACEXPR_ONCE constexpr value upper_fraction(incomplete_gamma_parts const& parts) {
    value const a = minimum(parts.a, 1e100), x = maximum(minimum(parts.x, 1e101), maximum(a, 2.5)), b = x - a + 1.0;
    constexpr int n = fraction_terms;
    value const last = b + 2.0 * n, root = ad::sqrt(maximum(ad::square(last) - 4.0 * (n + 1) * (double(n + 1) - a), 0));
    value f = half(last + root);
    for (int k = n - 1; k >= 0; --k) f = (b + 2.0 * k) - (double(k + 1) * (double(k + 1) - a)) / f;
    return parts.density / f;
}
// Computes Q for a < 1 and x < 2.5 as 1 - x^a / gamma(a + 1) (1 + a sum_n (-x)^n / (n! (a + n))), using expm1.
TRACEXPR_ONCE constexpr value upper_of_small(incomplete_gamma_parts const& parts) {
    value const a = minimum(parts.a, 1), x = minimum(parts.x, 2.5);
    value const log = a * (ad::log(maximum(x, 1e-320)) - polynomial(2 * a - 1, lgamma_of_small));
    double c = 1; // (-1)^n / n!
    double factors[24]{};
    for (int n = 0; n < 24; ++n) factors[n] = c, c /= -(n + 1);
    value sum = factors[23] / (a + 23.0);
    for (int n = 22; n > 0; --n) sum = fused(sum, x, factors[n] / (a + double(n)));
    return -ad::unary(op::expm1, log) - ad::exp(log) * a * x * sum;
}

// Computes P or Q of any operands: NaN outside the domain, and the limits at 0 and infinity.
TRACEXPR_ONCE constexpr value incomplete_gamma(value const* operands, bool upper) {
    value const &a = operands[0], &x = operands[1];
    value const inside = both(both(greater(a, 0), less(a, infinity)), both(greater(x, 0), less(x, infinity)));
    incomplete_gamma_parts const parts(choose(inside, a, 1.0), choose(inside, x, 1.0));
    value const transition = both(ad::record(op::greater_equal, {parts.a, parts.a.like(20)}), less(absolute(parts.u), 0.32));
    value const small = less(parts.x, 2.5), by_lower = either(less(parts.u, 0), small);
    value const p = lower_fraction(parts), q = upper_fraction(parts);
    value outer;
    if (upper) outer = choose(by_lower, choose(both(small, less(parts.a, 1)), upper_of_small(parts), 1 - p), q);
    else outer = choose(by_lower, p, 1 - q);
    value const known = choose(transition, near_transition(parts, upper), outer);
    double const at_zero = upper ? 1 : 0;
    value const low = either(both(equal(x, 0), greater(a, 0)), both(equal(a, infinity), less(x, infinity))),
                high = either(both(equal(a, 0), greater(x, 0)), both(equal(x, infinity), less(a, infinity)));
    value const negative = either(less(a, 0), less(x, 0));
    value const edge = choose(low, at_zero, choose(high, 1 - at_zero, a.like(not_a_number)));
    return choose(inside, known, choose(negative, not_a_number, edge));
}
// Computes x^(a - 1) exp(-x) / gamma(a), the slope of P with respect to x.
struct gamma_density_fn {
    TRACEXPR_ONCE static constexpr value compute(value const* operands) {
        value const &a = operands[0], &x = operands[1];
        value const inside = both(both(greater(a, 0), less(a, infinity)), both(greater(x, 0), less(x, infinity)));
        incomplete_gamma_parts const parts(choose(inside, a, 1.0), choose(inside, x, 1.0));
        value const at_zero = choose(less(a, 1), infinity, choose(equal(a, 1), 1.0, a * 0.0));
        value const edge = choose(both(equal(x, 0), greater(a, 0)), at_zero, choose(equal(x, infinity), 0.0, x * not_a_number));
        return choose(inside, parts.density / parts.x, edge);
    }
    TRACEXPR_ONCE static constexpr value slope(trace_scope&, value const* operands, value const& y, std::size_t k) {
        value const &a = operands[0], &x = operands[1];
        return k == 0 ? y * (ad::log(x) - digamma(a)) : y * ((a - 1) / x - 1);
    }
    static constexpr definition recorded{compute, slope, 2};
};
struct gammainc_fn {
    static constexpr char const* called = "gammainc";
    static constexpr value compute(value const* x) { return incomplete_gamma(x, false); }
    static constexpr value slope(trace_scope& scope, value const* x, value const&, std::size_t) {
        return call(scope, gamma_density_fn::recorded, x[0], x[1]);
    }
    static constexpr definition recorded{compute, slope, 2, true, 1};
};
struct gammaincc_fn {
    static constexpr char const* called = "gammaincc";
    static constexpr value compute(value const* x) { return incomplete_gamma(x, true); }
    static constexpr value slope(trace_scope& scope, value const* x, value const&, std::size_t) {
        return -call(scope, gamma_density_fn::recorded, x[0], x[1]);
    }
    static constexpr definition recorded{compute, slope, 2, true, 1};
};

} // namespace tx::detail::special_functions
