// This file holds the exponential integrals and the dilogarithm. Polynomials interpolate at Chebyshev points.
#pragma once

#include <tracexpr/special/values.hpp>

namespace tx::detail::special_functions {

// The first polynomial, of 2 x - 1, gives E_1(x) + log x for x <= 1; the second, of (x - 4) / (x + 2), gives x exp(x) E_1(x) for
// x >= 1.
inline constexpr double e1_near[]{-0.1333735857837845,    0.3934693402873666,     -0.04510200521552493,    0.0047958926556569805,
                                  -0.0004379056390727087, 3.4423125990491734e-05, -2.3608228870347127e-06, 1.4319708844510145e-07,
                                  -7.774613656343733e-09, 3.8171727514009484e-10, -1.7096572524367545e-11, 7.068014517615285e-13,
                                  -2.6891299219584446e-14};
inline constexpr double e1_far[]{
    0.8253825996042233,      0.19036949703167488,     -0.0243003136542951,     0.010133650725819695,   -0.002507852571895628,
    0.0011289560038446323,   -0.0003379858136890557,  0.00016176761619542975,  -5.219397363732407e-05, 2.65361188366733e-05,
    -8.721726182061759e-06,  4.7593393284206804e-06,  -1.5237682336570375e-06, 9.096796580102571e-07,  -2.7347394536822215e-07,
    1.9798819196183624e-07,  -3.962018765497969e-08,  1.5141673340608428e-08,  -2.404994471313753e-08, 4.722336195310866e-08,
    2.383344081297018e-08,   -3.6860607269546456e-08, -2.545841428877462e-08,  2.7493755488737437e-08, 1.75195154268916e-08,
    -1.0894893510378763e-08, -7.09307701954862e-09,   2.2315632435045145e-09,  1.4079193334203316e-09};
// The first polynomial, of x / 3 - 1, gives (Ei(x) - log(x / r)) / (x - r) for x <= 6, where r is the zero of Ei; the others, of
// 1 / x, give x exp(-x) Ei(x) on [6, 12], [12, 24] and [24, inf].
inline constexpr double ei_near[]{2.986772243435986,      3.8535675550242976,     3.434770585137441,      2.3217200962908175,
                                  1.2664576815080513,     0.5800776053968251,     0.22925545808417094,    0.07974156050349365,
                                  0.024780457940862928,   0.006961836119633811,   0.001785125450887397,   0.0004210738004950217,
                                  9.197224049461442e-05,  1.870688551744826e-05,  3.560404460916248e-06,  6.368735998760581e-07,
                                  1.0742505868458603e-07, 1.7060220113266324e-08, 2.5866726858859605e-09, 4.115968665316195e-10,
                                  5.614405084140444e-11};
inline constexpr double ei_middle[]{
    1.181847986987208,       0.09097863630348528,    0.010157308753613169,   -0.0033533886601655773,  -0.0011258914510850566,
    0.0003731384221343513,   4.205947059677954e-05,  -4.5551152988831e-05,   9.196643086907603e-06,   1.4333368877769822e-06,
    -1.4452411705136022e-06, 4.2453512090096565e-07, -2.964346587751564e-08, -3.0571547379374253e-08, 1.6823918463470673e-08,
    -4.7514566018464026e-09, 5.79293752508163e-10,   2.741112525715125e-10,  -2.238352557736048e-10,  5.582011186384436e-11};
inline constexpr double ei_upper[]{
    1.0723449766623854,     0.02839154997859356,     0.0019403040279314869,   0.00026840492461838866, 3.961169113257146e-05,
    -5.372759754209692e-06, -5.1601824248174155e-06, -2.2547675561424962e-07, 4.922895597735554e-07,  4.033076256278162e-09,
    -4.963281423767706e-08, 7.12111973794414e-09,    3.6727012518475484e-09,  -1.590823894477756e-09, 3.353741246874427e-11,
    1.6709970129233002e-10, -5.131924572184709e-11,  -6.281296519223429e-12,  5.176856796916903e-12};
inline constexpr double ei_far[]{1.0217607036601566,     0.022753072027361203,   0.0010637687855469507,  7.863790795929546e-05,
                                 8.211967491388118e-06,  1.1430194549158816e-06, 2.0531270010781703e-07, 4.68389469607205e-08,
                                 1.3569966703857371e-08, 5.068685889975313e-09,  2.450505025930037e-09,  1.5433693301190875e-09,
                                 1.0697278399774904e-09, 1.4919915273103306e-10, -9.522556330704613e-10, -8.548955845121399e-10,
                                 1.9799623786584788e-10, 4.852413449606105e-10,  8.12059948969991e-12,   -1.415893024984991e-10,
                                 -7.468941889016729e-12, 1.8753708030501866e-11};

// Computes E_1(x) for x >= 0.
TRACEXPR_ONCE constexpr value exp1_of_positive(value const& x) {
    value const small = minimum(x, 1), large = clamp(x, 1, 1e100);
    value const near = polynomial(2 * small - 1, e1_near) - ad::log(small);
    value const far = ad::exp(-large) / large * polynomial((large - 4) / (large + 2), e1_far);
    return choose(less(x, 1), near, choose(less(x, 800), far, x * 0.0 + 0.0));
}
struct exp1_fn {
    static constexpr char const* called = "exp1";
    TRACEXPR_ONCE static constexpr value compute(value const* x) {
        value const inside = ad::record(op::greater_equal, {x[0], x[0].like(0)});
        value const y = exp1_of_positive(choose(inside, x[0], 1.0));
        return choose(inside, choose(equal(x[0], infinity), 0.0, y), not_a_number);
    }
    static constexpr value slope(trace_scope&, value const* x, value const&, std::size_t) { return -(ad::exp(-x[0]) / x[0]); }
    static constexpr definition recorded{compute, slope};
};
// Computes Ei(x) for x >= 0.
TRACEXPR_ONCE constexpr value expi_of_positive(value const& x) {
    constexpr double root = 0.3725074107813666, root_low = 1.3140183414386028e-17;
    value const small = minimum(x, 6), distance = small - root - root_low, close = both(greater(x, 0.2), less(x, 0.75));
    value const log = choose(close, ad::unary(op::log1p, choose(close, distance, 0.0) * (1 / root)), ad::log(small * (1 / root)));
    value const near = fused(distance, polynomial((1.0 / 3) * small - 1, ei_near), log);
    value const u = 1 / clamp(x, 6, 1e300);
    value far = choose(less(x, 12), polynomial(from_interval(u, 1.0 / 12, 1.0 / 6), ei_middle),
                       polynomial(from_interval(u, 1.0 / 24, 1.0 / 12), ei_upper));
    far = choose(less(x, 24), far, polynomial(from_interval(u, 0, 1.0 / 24), ei_far));
    value const root_power = ad::exp(half(clamp(x, 6, 800))); // exp(x) may overflow where Ei(x) doesn't
    return choose(less(x, 6), near, choose(less(x, 800), far * u * root_power * root_power, x));
}
struct expi_fn {
    static constexpr char const* called = "expi";
    TRACEXPR_ONCE static constexpr value compute(value const* x) {
        value const size = absolute(x[0]), low = -exp1_of_positive(size), high = expi_of_positive(size);
        return choose(less(x[0], 0), choose(less(size, infinity), low, 0.0), high);
    }
    static constexpr value slope(trace_scope&, value const* x, value const&, std::size_t) { return ad::exp(x[0]) / x[0]; }
    static constexpr definition recorded{compute, slope};
};

// Computes log(x) / (1 - x), the slope of the dilogarithm, which is -1 at 1. Its own slope (1 / x + y) / (1 - x) is a series
// around 1.
struct spence_slope_fn {
    TRACEXPR_ONCE static constexpr value compute(value const* x) {
        value const at = equal(x[0], 1), inside = choose(at, 2.0, x[0]);
        return choose(at, -1.0, ad::log(inside) / (1 - inside));
    }
    TRACEXPR_ONCE static constexpr value slope(trace_scope&, value const* x, value const& y, std::size_t) {
        double series[24]{}; // sum_k (-1)^k (k + 1) / (k + 2) (x - 1)^k
        for (int k = 0; k < 24; ++k) series[k] = (k % 2 ? -1.0 : 1.0) * (k + 1) / (k + 2);
        value const step = x[0] - 1, near = less(absolute(step), 0.2), far = choose(near, 2.0, x[0]);
        return choose(near, polynomial(clamp(step, -0.2, 0.2), series), (1 / far + y) / (1 - far));
    }
    static constexpr definition recorded{compute, slope};
};
// Computes the integral of log(t) / (1 - t) from 1 to x, which is Li2(1 - x). With u = -log x it is the sum of B_n u^(n + 1) / (n
// + 1)! for x from 1 / 2 to 2 (Lewin, Polylogarithms and Associated Functions, 1.5); other x are mapped there by reflection and
// inversion.
struct spence_fn {
    static constexpr char const* called = "spence";
    TRACEXPR_ONCE static constexpr value series(value const& log) {
        constexpr double c[]{1,
                             1.0 / 36,
                             -1.0 / 3600,
                             1.0 / 211680,
                             -1.0 / 10886400,
                             1.0 / 526901760,
                             -4.0647616451442255e-11,
                             8.9216910204564526e-13,
                             -1.9939295860721076e-14,
                             4.5189800296199182e-16};
        value const u = -log, square = ad::square(u);
        return u * polynomial(square, c) - 0.25 * square;
    }
    TRACEXPR_ONCE static constexpr value compute(value const* x) {
        value const inverted = greater(x[0], 2), y = choose(inverted, 1 / choose(inverted, x[0], 1.0), x[0]),
                    small = less(y, 0.5);
        value const log_y = ad::log(choose(less(y, 1e-320), 1.0, y)), other = choose(small, 1 - y, 0.5),
                    log_other = ad::log(other);
        value const plain = series(choose(small, log_other, log_y));
        value const direct = choose(small, pi * pi / 6 - log_y * log_other - plain, plain);
        value const log_x = ad::log(choose(inverted, x[0], 1.0));
        value const inside = choose(inverted, -half(ad::square(log_x)) - direct, direct);
        value const beyond = choose(equal(x[0], infinity), -infinity, x[0] * 0.0 + 0.0);
        return choose(less(x[0], 0), not_a_number, choose(less(x[0], infinity), inside, beyond));
    }
    static constexpr value slope(trace_scope& scope, value const* x, value const&, std::size_t) {
        return call(scope, spence_slope_fn::recorded, x[0]);
    }
    static constexpr definition recorded{compute, slope};
};

} // namespace tx::detail::special_functions
