// Bodies that attract each other, by leapfrog steps. Energy and momentum stay what they were.
#include <tracexpr/tracexpr.hpp>

#include <cmath>
#include <cstdio>

struct system_state {
    tx::tensor<double, tx::shape<tx::dyn, 3>> position, velocity;
};
using masses = tx::tensor<double, tx::shape<tx::dyn>>;

constexpr double softening = 0.01;

constexpr auto acceleration = [](auto x, auto m) {
    auto const d = tx::expand_dims<0>(x) - tx::expand_dims<1>(x); // (n, n, 3): from i to j
    auto const r = tx::rsqrt(tx::sum(d * d, tx::axis<2>) + softening);
    return tx::sum(d * tx::expand_dims<2>(r * r * r * m), tx::axis<1>);
};
constexpr auto energy = [](auto s, auto m) {
    auto const d = tx::expand_dims<0>(s.position) - tx::expand_dims<1>(s.position);
    auto const r = tx::rsqrt(tx::sum(d * d, tx::axis<2>) + softening);
    auto const pairs = tx::sum(r * tx::outer(m, m)) - tx::sum(m * m) / std::sqrt(softening);
    return 0.5 * tx::sum(tx::expand_dims<1>(m) * tx::square(s.velocity)) - 0.5 * pairs;
};

int main() {
    constexpr std::int64_t n = 64;
    tx::random::seed(3);
    masses const m = tx::full<double>(tx::shape<n>{}, 1.0 / n);
    system_state s{tx::random::normal<double>(tx::shape<n, 3>{}), 0.3 * tx::random::normal<double>(tx::shape<n, 3>{})};

    tx::function leap{[](system_state now, auto mass, auto dt) {
        auto const half = now.velocity + 0.5 * dt * acceleration(now.position, mass);
        auto const position = now.position + dt * half;
        return system_state{position, half + 0.5 * dt * acceleration(position, mass)};
    }};
    tx::function total{energy};

    double const before = total(s, m).item();
    auto const momentum = tx::sum(s.velocity, tx::axis<0>);
    for (int k = 0; k < 500; ++k) s = leap(s, m, 0.005);
    double const after = total(s, m).item();
    std::printf("energy %.6f, then %.6f: changed by less than 1e-4: %d\n", before, after, std::abs(after - before) < 1e-4);
    std::printf("momentum kept: %d\n", tx::allclose(momentum, tx::sum(s.velocity, tx::axis<0>)).item());
}
