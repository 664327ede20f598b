// The heat equation on a rod by explicit steps, compared with the exact decay of a sine; and on a plate, where maxima only
// shrink.
#include <tracexpr/tracexpr.hpp>

#include <cmath>
#include <cstdio>
#include <numbers>

int main() {
    constexpr double pi = std::numbers::pi;
    constexpr int n = 101, steps = 4000;
    constexpr double dx = 1.0 / (n - 1), dt = 0.4 * dx * dx;

    tx::tensor<double, tx::shape<n>> const x = tx::linspace<double, n>(0, 1);
    tx::tensor<double, tx::shape<n>> u = tx::sin(pi * x);
    tx::function step{[](auto v) {
        auto const inner = tx::slice(v, tx::range<1, -1>);
        auto const change = tx::slice(v, tx::range<2, tx::open>) - 2 * inner + tx::slice(v, tx::range<0, -2>);
        return tx::add_at(v, dt / (dx * dx) * change, tx::range<1, -1>);
    }};
    for (int k = 0; k < steps; ++k) u = step(u);
    double const exact = std::exp(-pi * pi * dt * steps);
    double const middle = u(n / 2);
    std::printf("rod:   middle %.6f, exact %.6f\n", middle, exact);

    // The same in a loop of the graph, on a plate.
    tx::function plate{[](auto v) {
        return tx::fori_loop(
            0, 1000,
            [](auto, auto w) {
                auto const c = tx::slice(w, tx::range<1, -1>, tx::range<1, -1>);
                auto const around =
                    tx::slice(w, tx::range<0, -2>, tx::range<1, -1>) + tx::slice(w, tx::range<2, tx::open>, tx::range<1, -1>) +
                    tx::slice(w, tx::range<1, -1>, tx::range<0, -2>) + tx::slice(w, tx::range<1, -1>, tx::range<2, tx::open>);
                return tx::pad(c + 0.2 * (around - 4 * c), tx::widths<1>, tx::widths<1>);
            },
            v);
    }};
    tx::tensor<double, tx::shape<tx::dyn>> const s = tx::sin(pi * tx::linspace<double>(0, 1, 51));
    tx::tensor<double, tx::shape<tx::dyn, tx::dyn>> const start = tx::outer(s, s);
    auto const end = plate(start);
    std::printf("plate: middle %.6f, exact %.6f\n", end(25, 25), std::exp(-2 * pi * pi * 0.2 / 2500 * 1000));
}
