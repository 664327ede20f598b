// This file computes the derivatives of log gamma(x) on single numbers in double, after Abramowitz and Stegun, Handbook of
// Mathematical Functions, sections 6.3 and 6.4.
#pragma once

#include <tracexpr/base/config.hpp>

#include <cmath>
#include <limits>

namespace tx::special {

// Computes digamma on [1, 2] as (x - x0) p(2x - 3), where x0 is its root, so that digits near the root are kept; p interpolates
// at Chebyshev points.
TRACEXPR_HD inline double digamma_around_root(double x) {
    constexpr double root = 1.4616321449683622, root_low = 9.549995429965697e-17;
    constexpr double p[]{0.9510558760318328,     -0.2118137106407303,     0.060135621060196744,   -0.018550615381735115,
                         0.005936795278305649,   -0.0019350666648590097,  0.0006368880303257201,  -0.00021074841140458636,
                         6.995018873950506e-05,  -2.325824239445257e-05,  7.741232223504057e-06,  -2.57809436305308e-06,
                         8.589127353033379e-07,  -2.86315275846934e-07,   9.542050972688906e-08,  -3.163020268955334e-08,
                         1.0542687624027994e-08, -3.7075072647122386e-09, 1.2358072433984831e-09, -2.7619635330317715e-10,
                         9.206434499177992e-11,  -8.498137230186096e-11,  2.832706668021759e-11};
    double const t = 2 * x - 3;
    double sum = 0;
    for (int k = 22; k >= 0; --k) sum = sum * t + p[k];
    return (x - root - root_low) * sum;
}
// Computes digamma for large x by 6.3.18: log x - 1 / 2x - sum B_2k / (2k x^2k).
TRACEXPR_HD inline double digamma_of_large(double x) {
    constexpr double b[]{0.08333333333333333,  -0.008333333333333333, 0.003968253968253968, -0.004166666666666667,
                         0.007575757575757576, -0.021092796092796094, 0.08333333333333333};
    double const square = 1 / x / x;
    double sum = 0;
    for (int k = 6; k >= 0; --k) sum = (sum + b[k]) * square;
    return std::log(x) - 0.5 / x - sum;
}
// Computes digamma for x > 0 by 6.3.5: psi(x + 1) = psi(x) + 1 / x.
TRACEXPR_HD inline double digamma_of_positive(double x) {
    if (x >= 10) return digamma_of_large(x);
    if (x < 1) return digamma_around_root(x + 1) - 1 / x;
    double sum = 0;
    while (x > 2) x -= 1, sum += 1 / x;
    return sum + digamma_around_root(x);
}
// Computes digamma by 6.3.7, the reflection psi(x) = psi(1 - x) - pi / tan(pi x); the tangent has the period 1.
TRACEXPR_HD inline double digamma(double x) {
    if (x > 0 || x != x) return digamma_of_positive(x);
    if (x == 0) return std::copysign(std::numeric_limits<double>::infinity(), -x);
    if (x == std::floor(x)) return std::numeric_limits<double>::quiet_NaN(); // a pole; also -inf
    constexpr double pi = 3.141592653589793;
    return digamma_of_positive(1 - x) - pi / std::tan(pi * (x - std::nearbyint(x)));
}

// Computes zeta(s, x) x^s for s > 1, x > 0: it adds the first terms of the sum over (x + k)^-s, and the rest by the
// Euler-Maclaurin formula (23.1.30).
TRACEXPR_HD inline double scaled_hurwitz_zeta(double s, double x) {
    constexpr double b[]{0.08333333333333333,   -0.001388888888888889,  3.306878306878307e-05,  -8.267195767195768e-07,
                         2.08767569878681e-08,  -5.284190138687493e-10, 1.3382536530684679e-11, -3.3896802963225827e-13,
                         8.586062056277845e-15, -2.174868698558062e-16, 5.5090028283602295e-18, -1.3954464685812522e-19};
    if (x > 0x1p53 && s > x) return 1 / -std::expm1(-s / x); // Here x + k is x, so the sum is a geometric series.
    double sum = 0, y = x, power = 1;
    for (int k = 1; y < s + 10; ++k) {
        sum += power;
        y = x + k;
        power = std::pow(x / y, s);
        if (power < 1e-18 * sum) return sum;
    }
    double rest = y / (s - 1) + 0.5, factor = s / y;
    for (int j = 0; j < 12; ++j) {
        rest += b[j] * factor;
        factor *= (s + 2 * j + 1) / y * ((s + 2 * j + 2) / y);
    }
    return sum + power * rest;
}
// Computes n! zeta(n + 1, x) for x > 0, n >= 1.
TRACEXPR_HD inline double factorial_times_zeta(double n, double x) {
    if (x > std::numeric_limits<double>::max()) return 0;
    double const zeta = scaled_hurwitz_zeta(n + 1, x);
    if (n > 170) {
        double const log_factorial =
            (n + 0.5) * std::log(n) - n + 0.91893853320467274 + (1 - 1 / (30 * n * n)) / (12 * n); // Stirling, 6.1.41
        return std::exp(log_factorial - (n + 1) * std::log(x)) * zeta;
    }
    double const power = std::pow(x, -(n + 1)), root = std::pow(x, -0.5 * (n + 1)), factorial = std::tgamma(n + 1);
    return power > 1e-290 && power < 1e+290 ? factorial * power * zeta : factorial * root * zeta * root;
}
// Computes the n-th derivative of digamma, which is the derivative of log gamma, at x. It is NaN unless n is 0, 1, 2, ..., and at
// poles whose sides differ. The formula is 6.4.10: (-1)^(n+1) n! zeta(n + 1, x). For negative x the sum runs over all integers
// except those beyond x: with x = a - m, 0 < a < 1, it is zeta(s, a) + (-1)^s (zeta(s, 1 - a) - zeta(s, 1 - x)).
TRACEXPR_HD inline double polygamma(double n, double x) {
    constexpr double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
    if (!(n >= 0) || n == infinity || n != std::floor(n) || x != x) return nan;
    if (n == 0) return digamma(x);
    bool const odd = std::fmod(n, 2) == 1;
    double const sign = odd ? 1 : -1;
    if (x > 0) return sign * factorial_times_zeta(n, x);
    if (x == -infinity) return nan;
    if (x == std::floor(x)) return odd ? infinity : x == 0 ? std::copysign(infinity, -x) : nan;
    return sign * factorial_times_zeta(n, x - std::floor(x)) + factorial_times_zeta(n, std::ceil(x) - x) -
           factorial_times_zeta(n, 1 - x);
}

} // namespace tx::special
