// A Kalman filter that tracks a falling body from noisy heights. The covariance converges to what the Riccati equation says.
#include <tracexpr/tracexpr.hpp>

#include <cmath>
#include <cstdio>
#include <utility>

using vec = tx::tensor<double, tx::shape<2>>;
using mat = tx::tensor<double, tx::shape<2, 2>>;

struct belief {
    vec mean;
    mat covariance;
};

constexpr double dt = 0.1, gravity = -9.81, measured_variance = 0.25;

int main() {
    tx::function step{[](auto b, auto height) {
        mat const f{{1, dt}, {0, 1}};
        mat const q{{1e-4, 0}, {0, 1e-2}};
        vec const push{0.5 * dt * dt * gravity, dt * gravity};
        tx::tensor<double, tx::shape<1, 2>> const h{{1, 0}};

        auto const mean = tx::matmul(f, b.mean) + push;
        auto const p = tx::matmul(tx::matmul(f, b.covariance), tx::transpose(f)) + q;
        auto const s = tx::matmul(tx::matmul(h, p), tx::transpose(h)) + measured_variance;
        auto const gain = tx::transpose(tx::linalg::solve(s, tx::matmul(h, p))); // (2, 1)
        auto const surprise = height - tx::matmul(h, mean);                      // (1)
        return std::pair(mean + tx::matmul(gain, surprise),
                         tx::matmul(tx::eye<double>(tx::shape<2, 2>{}) - tx::matmul(gain, h), p));
    }};

    belief b{{100, 0}, {{1, 0}, {0, 1}}};
    for (int k = 1; k <= 100; ++k) {
        double const t = k * dt, height = 100 + 5 * t + 0.5 * gravity * t * t + 0.5 * std::sin(100.0 * k);
        auto const [mean, covariance] = step(b, height);
        b = {mean, covariance};
    }
    auto const& [mean, covariance] = std::as_const(b);
    std::printf("height %.3f, truth %.3f\n", mean(0), 100 + 5 * 10 + 0.5 * gravity * 100);
    std::printf("speed  %.3f, truth %.3f\n", mean(1), 5 + gravity * 10);
    std::printf("standard deviations %.4f %.4f\n", std::sqrt(covariance(0, 0)), std::sqrt(covariance(1, 1)));
}
