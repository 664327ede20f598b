// A circle fitted to points by the method of Gauss and Newton: residuals, their Jacobian by jacfwd, and lstsq for the step.
#include <tracexpr/tracexpr.hpp>

#include <cmath>
#include <cstdio>

constexpr auto residuals = [](auto p, auto points) { // p: x, y, radius
    auto const d = points - tx::slice(p, tx::range<0, 2>);
    return tx::norm(d, tx::axis<1>) - p[2];
};

int main() {
    constexpr std::int64_t n = 40;
    auto const angle = tx::linspace<double, n>(0, 5);
    auto const points = tx::stack(tx::axis<1>, 2 + 1.5 * tx::cos(angle), -1 + 1.5 * tx::sin(angle));

    tx::function step{[](auto p, auto pts) {
        auto const r = residuals(p, pts);
        auto const j = tx::jacfwd(residuals)(p, pts);
        return std::pair(p - std::get<0>(tx::linalg::lstsq(j, r)), tx::sum(r * r));
    }};
    tx::tensor<double, tx::shape<3>> p{1, 0, 1};
    for (int k = 0; k < 8; ++k) {
        auto const [next, cost] = step(p, points);
        std::printf("%d: %.3e\n", k, cost.item());
        p = next;
    }
    auto const found = p;
    std::printf("centre (%.6f, %.6f), radius %.6f\n", found(0), found(1), found(2));

    // The same by solving the normal equations.
    auto const j = tx::jacrev(residuals)(p, points);
    auto const jt = tx::transpose(j);
    auto const dp = tx::linalg::solve(tx::matmul(jt, j), tx::matmul(jt, residuals(p, points)));
    std::printf("the next step is tiny: %d\n", tx::norm(dp).item() < 1e-12);
}
