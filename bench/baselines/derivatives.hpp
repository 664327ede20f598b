// Derivatives of small problems, derived by hand and written as one would: each value once, no temporary arrays.
#pragma once

#include <cmath>
#include <numbers>

namespace derivatives {

// sum over i of 100 (x[i + 1] - x[i]^2)^2 + (1 - x[i])^2. (Rosenbrock, An automatic method for finding the greatest or least value of a
// function, 1960)
template <int N> void rosenbrock_gradient(double const* x, double* g) {
    g[0] = 0;
    for (int i = 0; i + 1 < N; ++i) {
        double const step = 200 * (x[i + 1] - x[i] * x[i]);
        g[i] += -2 * x[i] * step - 2 * (1 - x[i]);
        g[i + 1] = step;
    }
}
template <int N> void rosenbrock_hessian(double const* x, double* h) {
    for (int i = 0; i < N * N; ++i) h[i] = 0;
    for (int i = 0; i + 1 < N; ++i) {
        h[i * N + i] += 1200 * x[i] * x[i] - 400 * x[i + 1] + 2;
        h[i * N + i + 1] = h[(i + 1) * N + i] = -400 * x[i];
        h[(i + 1) * N + i + 1] = 200;
    }
}

// A European call's price, its gradient and its Hessian by spot, strike, years, rate, volatility.
struct greeks {
    double value, first[5], second[5][5];
};

// Closed forms (Haug, The Complete Guide to Option Pricing Formulas, 2007, chapter 2), with n(d2) K e^(-rt) = n(d1) S.
inline void black_scholes(double s, double k, double t, double r, double v, greeks& out) {
    double const root = std::sqrt(t), deviation = v * root, discount = std::exp(-r * t), strike = k * discount;
    double const d1 = (std::log(s / k) + (r + 0.5 * v * v) * t) / deviation, d2 = d1 - deviation;
    double const cdf1 = 0.5 * std::erfc(d1 * -0.5 * std::numbers::sqrt2), cdf2 = 0.5 * std::erfc(d2 * -0.5 * std::numbers::sqrt2);
    double const density = std::exp(-0.5 * d1 * d1) * (0.5 * std::numbers::sqrt2 * std::numbers::inv_sqrtpi);
    double const weight = s * density; // = strike * density of d2
    out.value = s * cdf1 - strike * cdf2;
    double const vega = weight * root;
    out.first[0] = cdf1;
    out.first[1] = -discount * cdf2;
    out.first[2] = 0.5 * weight * v / root + r * strike * cdf2;
    out.first[3] = t * strike * cdf2;
    out.first[4] = vega;
    // Changes of d1 and d2 by each argument.
    double const by_s = 1 / (s * deviation), by_k = -1 / (k * deviation), by_r = root / v;
    double const by_t = (r + 0.5 * v * v) / deviation - 0.5 * d1 / t, by_v = root - d1 / v;
    double const by_t2 = by_t - 0.5 * v / root, by_v2 = -d1 / v;
    double const density2 = weight / strike;
    double(&h)[5][5] = out.second;
    h[0][0] = density * by_s;
    h[0][1] = density * by_k;
    h[0][2] = density * by_t;
    h[0][3] = density * by_r;
    h[0][4] = density * by_v;
    h[1][1] = -discount * density2 * by_k;
    h[1][2] = discount * (r * cdf2 - density2 * by_t2);
    h[1][3] = discount * (t * cdf2 - density2 * by_r);
    h[1][4] = -discount * density2 * by_v2;
    h[2][2] = 0.5 * weight * v / root * (-d1 * by_t - 0.5 / t) + r * strike * (density2 * by_t2 - r * cdf2);
    h[2][3] = strike * (cdf2 * (1 - r * t) + t * density2 * by_t2);
    h[2][4] = 0.5 * weight / root * (1 - v * d1 * by_v) + r * strike * density2 * by_v2;
    h[3][3] = t * strike * (density2 * by_r - t * cdf2);
    h[3][4] = t * strike * density2 * by_v2;
    h[4][4] = -vega * d1 * by_v;
    for (int i = 0; i < 5; ++i)
        for (int j = 0; j < i; ++j) h[i][j] = h[j][i];
}

} // namespace derivatives
