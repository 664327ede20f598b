// Products of quaternions, four numbers each.
#include "competitors/loops.hpp"
#include "programs.hpp"

namespace {

using tx::axis;
constexpr auto products = [](auto a, auto b) {
    auto const p = tx::unstack(a, axis<1>), q = tx::unstack(b, axis<1>);
    return tx::stack(axis<1>, p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
                     p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2], p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
                     p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0]);
};
constexpr std::int64_t n = 100'000;

programs::registered const program("quaternions", [] {
    auto const p = programs::uniform(4 * n, -1, 1, 1), q = programs::uniform(4 * n, -1, 1, 2);
    programs::bench b("quaternions");
    b.loop(
        programs::results<programs::real>{4 * n},
        [](auto* out, auto const* x, auto const* y) { loops::quaternions(out, x, y, n); }, p, q);
    b.ours("static", tx::static_function{products}, programs::fixed<n, 4>(p), programs::fixed<n, 4>(q));
    b.ours("unknown", tx::static_function{products}, programs::partly<tx::dyn, 4>(p, n, 4),
           programs::partly<tx::dyn, 4>(q, n, 4));
});

} // namespace
