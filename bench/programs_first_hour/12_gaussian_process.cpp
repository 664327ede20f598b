// Gaussian process regression by a Cholesky factor: the posterior at points between samples of a sine, and the evidence's slope.
#include <tracexpr/tracexpr.hpp>

#include <cmath>
#include <cstdio>
#include <numbers>

constexpr auto covariance = [](auto a, auto b, auto scale) {
    auto const d = (tx::expand_dims<1>(a) - tx::expand_dims<0>(b)) / scale;
    return tx::exp(-0.5 * d * d);
};
constexpr double noise = 1e-4;

constexpr auto negative_log_evidence = [](auto log_scale, auto x, auto y) {
    auto const k = covariance(x, x, tx::exp(log_scale)) + noise * tx::eye<double>(tx::shape<12, 12>{});
    auto const l = tx::linalg::cholesky(k);
    auto const white = tx::linalg::solve_triangular(l, y, tx::linalg::lower);
    return 0.5 * tx::sum(tx::square(white)) + tx::sum(tx::log(tx::diagonal(l))) + 6 * std::log(2 * std::numbers::pi);
};

int main() {
    auto const x = tx::linspace<double, 12>(0, 6);
    auto const y = tx::sin(x);
    auto const at = tx::tensor<double, tx::shape<3>>{0.7, 2.9, 5.1};

    tx::function posterior{[](auto xs, auto ys, auto points, auto scale) {
        auto const k = covariance(xs, xs, scale) + noise * tx::eye<double>(tx::shape<12, 12>{});
        auto const l = tx::linalg::cholesky(k);
        auto const weights = tx::linalg::solve_triangular(l, tx::linalg::solve_triangular(l, ys, tx::linalg::lower),
                                                          tx::linalg::lower, tx::linalg::transposed);
        auto const cross = covariance(points, xs, scale);
        auto const v = tx::linalg::solve_triangular(l, tx::transpose(cross), tx::linalg::lower);
        return std::tuple(tx::matmul(cross, weights), 1 - tx::sum(v * v, tx::axis<0>));
    }};
    auto const [mean, variance] = posterior(x, y, at, 1.3);
    for (int i = 0; i < 3; ++i)
        std::printf("at %.1f: %.4f +- %.4f, truth %.4f\n", at(i), mean(i), std::sqrt(variance(i)), std::sin(at(i)));

    tx::function slope{tx::value_and_grad(negative_log_evidence)};
    tx::tensor<double, tx::shape<>> log_scale{0};
    for (int k = 0; k < 100; ++k) {
        auto const [value, d] = slope(log_scale, x, y);
        log_scale -= 0.02 * d;
        if (k % 50 == 0) std::printf("evidence %.4f at scale %.4f\n", -value.item(), std::exp(log_scale.item()));
    }
    std::printf("best scale %.3f\n", std::exp(log_scale.item()));
}
