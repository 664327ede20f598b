// Lotka and Volterra's equations by the classical Runge-Kutta method: a loop over a state of two numbers.
#include "competitors/loops.hpp"
#include "programs.hpp"

namespace {

constexpr std::int64_t steps = 10'000;
constexpr auto simulated = [](auto start) {
    using number = typename decltype(start)::value_type;
    return tx::fori_loop(
        0, steps,
        [](auto, auto y) {
            constexpr number h = number(0.001);
            auto const slope = [](auto at) {
                auto const a = tx::slice(at, tx::at<0>), b = tx::slice(at, tx::at<1>);
                return tx::stack(tx::axis<0>, number(1.1) * a - number(0.4) * a * b, number(0.1) * a * b - number(0.4) * b);
            };
            auto const k1 = slope(y), k2 = slope(y + h / 2 * k1), k3 = slope(y + h / 2 * k2), k4 = slope(y + h * k3);
            return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
        },
        start);
};

programs::registered const program("predators", [] {
    programs::buffer<programs::real> const start{10, 5};
    programs::bench b("predators");
    b.loop(programs::results<programs::real>{2}, [](auto* out, auto const* in) { loops::predators(out, in, steps); }, start);
    b.ours("static", tx::static_function{simulated}, programs::fixed<2>(start));
    b.ours("unknown", tx::static_function{simulated}, programs::open(start, 2));
});

} // namespace
