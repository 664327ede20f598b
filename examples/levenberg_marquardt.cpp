// expect-output: amplitude 2\.5.*decay 0\.3.*frequency 1\.7.*phase 0\.4.*largest error of a parameter: [0-9.]+e-0[3-9]
// Fits a damped oscillation to noisy measurements by the method of Levenberg and Marquardt. jacfwd gives how each residual
// depends on each parameter: with 4 parameters and 200 residuals, forward mode takes 4 directions, and all of them run in one
// loop.
#include <tracexpr/tracexpr.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>

constexpr std::int64_t samples = 200;
using signal = tx::tensor<double, tx::shape<samples>>;
using vec = tx::tensor<double, tx::shape<4>>;
using mat = tx::tensor<double, tx::shape<4, 4>>;

// p: amplitude, decay, angular frequency, phase
constexpr auto oscillation = [](auto p, auto t) {
    auto const part = [&](auto place) { return tx::slice(p, place); };
    return part(tx::at<0>) * tx::exp(-part(tx::at<1>) * t) * tx::cos(part(tx::at<2>) * t + part(tx::at<3>));
};
constexpr auto residuals = [](auto p, auto t, auto measured) { return oscillation(p, t) - measured; };
constexpr auto loss = [](auto p, auto t, auto measured) { return 0.5 * tx::sum(tx::square(residuals(p, t, measured))); };
// loss, J^T J and J^T r
constexpr auto normal_equations = [](auto p, auto t, auto measured) {
    auto const r = residuals(p, t, measured);
    auto const jacobian = tx::jacfwd(residuals)(p, t, measured);
    return std::tuple(0.5 * tx::sum(tx::square(r)), tx::matmul(tx::transpose(jacobian), jacobian), tx::matmul(r, jacobian));
};

// Solves (a + damping diag(a)) x = b, by a Cholesky factorisation of the damped matrix.
vec solved(mat const& a, vec const& b, double damping) {
    double l[4][4]{}, x[4]{};
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j <= i; ++j) {
            double sum = a(i, j) * (i == j ? 1 + damping : 1);
            for (int k = 0; k < j; ++k) sum -= l[i][k] * l[j][k];
            l[i][j] = i == j ? std::sqrt(sum) : sum / l[j][j];
        }
    for (int i = 0; i < 4; ++i) {
        x[i] = b(i);
        for (int k = 0; k < i; ++k) x[i] -= l[i][k] * x[k];
        x[i] /= l[i][i];
    }
    for (int i = 3; i >= 0; --i) {
        for (int k = i + 1; k < 4; ++k) x[i] -= l[k][i] * x[k];
        x[i] /= l[i][i];
    }
    return vec{x[0], x[1], x[2], x[3]};
}

int main() {
    vec const truth{2.5, 0.3, 1.7, 0.4};
    signal const t = tx::linspace<double, samples>(0, 10);
    // The noise is repeatable, and unlike anything that the model can fit.
    tx::static_function measure{[](auto p, auto at) { return oscillation(p, at) + 0.02 * tx::sin(1e4 * tx::square(at)); }};
    signal const measured = measure(truth, t);

    tx::static_function value{loss};
    tx::static_function equations{normal_equations};
    vec p{1, 0.1, 1.5, 0};
    double damping = 1e-2;
    for (int step = 0; step < 30; ++step) {
        auto const [now, jtj, jtr] = equations(p, t, measured);
        vec const next = p - solved(jtj, jtr, damping);
        bool const better = value(next, t, measured).item() < now.item();
        if (better) p = next;
        damping *= better ? 0.3 : 4;
    }
    auto const found = p;
    std::printf("amplitude %.2f, decay %.2f, frequency %.2f, phase %.2f\n", found(0), found(1), found(2), found(3));
    double error = 0;
    for (int i = 0; i < 4; ++i) error = std::max(error, std::abs(p(i) - truth(i)));
    std::printf("largest error of a parameter: %.1e\n", error);
}
