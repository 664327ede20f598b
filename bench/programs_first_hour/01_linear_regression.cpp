// A line through noisy points, three ways: the normal equations, lstsq and gradient descent. The points are such that the answer
// is known.
#include <tracexpr/tracexpr.hpp>

#include <cstdio>

using matrix = tx::tensor<double, tx::shape<tx::dyn, 2>>;
using vector = tx::tensor<double, tx::shape<tx::dyn>>;

int main() {
    constexpr int n = 100;
    vector const x = tx::linspace<double>(-1, 1, n);
    // The noise +-0.1 alternates, so it is nearly orthogonal to a line.
    vector const noise = 0.1 * (1 - 2 * tx::remainder(tx::arange<double>(n), 2.0));
    vector const y = 3 * x + 2 + noise;
    matrix const design = tx::stack(tx::axis<1>, x, tx::ones_like(x));

    auto const dt = tx::transpose(design);
    auto const normal = tx::linalg::solve(tx::matmul(dt, design), tx::matmul(dt, y));
    auto const [least, residuals, rank, sizes] = tx::linalg::lstsq(design, y);

    constexpr auto loss = [](auto w, auto a, auto b) { return tx::mean(tx::square(tx::matmul(a, w) - b)); };
    tx::function step{[loss](auto w, auto a, auto b) { return w - 0.5 * tx::grad(loss)(w, a, b); }};
    tx::tensor<double, tx::shape<2>> w{0, 0};
    for (int k = 0; k < 200; ++k) w = step(w, design, y);

    auto const found = w; // elements of a constant tensor are numbers, which printf takes
    std::printf("normal equations: slope %.6f, offset %.6f\n", normal(0), normal(1));
    std::printf("lstsq:            slope %.6f, offset %.6f, rank %d\n", least(0), least(1), static_cast<int>(rank.item()));
    std::printf("gradient descent: slope %.6f, offset %.6f\n", found(0), found(1));
    std::printf("sum of squares %.6f\n", residuals.item());
}
