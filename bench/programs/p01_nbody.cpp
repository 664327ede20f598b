// Accelerations of bodies under each other's gravity, softened: of positions [n, 3], and of one vector a coordinate.
#include "competitors/loops.hpp"
#include "programs.hpp"

namespace {

constexpr auto accelerations = [](auto x, auto m) {
    auto const apart = tx::expand_dims<0>(x) - tx::expand_dims<1>(x); // [n, n, 3]
    auto const squared = tx::sum(apart * apart, tx::axis<2>) + 1e-2f;
    auto const weight = m / (squared * tx::sqrt(squared)); // [n, n]
    return tx::sum(tx::expand_dims<2>(weight) * apart, tx::axis<1>);
};

constexpr auto by_coordinate = [](auto x, auto y, auto z, auto m) {
    auto const dx = x - tx::expand_dims<1>(x), dy = y - tx::expand_dims<1>(y), dz = z - tx::expand_dims<1>(z);
    auto const squared = dx * dx + dy * dy + dz * dz + 1e-2f;
    auto const weight = m / (squared * tx::sqrt(squared));
    return std::tuple(tx::sum(weight * dx, tx::axis<1>), tx::sum(weight * dy, tx::axis<1>), tx::sum(weight * dz, tx::axis<1>));
};

constexpr std::int64_t n = 1000;
constexpr auto loop = [](auto* out, auto const* x, auto const* m) { loops::nbody(out, x, m, n); };
constexpr auto loop_by_coordinate = [](auto* ax, auto* ay, auto* az, auto const* x, auto const* y, auto const* z, auto const* m) {
    loops::nbody(ax, ay, az, x, y, z, m, n);
};

programs::registered const rows("nbody", [] {
    auto const x = programs::uniform(n * 3, -1, 1, 1), m = programs::uniform(n, 0.5, 1.5, 2);
    programs::bench b("nbody");
    b.loop(programs::results<programs::real>{n * 3}, loop, x, m);
    b.ours("static", tx::static_function{accelerations}, programs::fixed<n, 3>(x), programs::fixed<n>(m));
    b.ours("unknown", tx::static_function{accelerations}, programs::open(x, n, 3), programs::open(m, n));
    b.ours("n unknown", tx::static_function{accelerations}, programs::partly<tx::dyn, 3>(x, n, 3), programs::open(m, n));
});
programs::registered const coordinates("nbody_coordinates", [] {
    using programs::fixed, programs::open, programs::real;
    auto const x = programs::uniform(n, -1, 1, 1), y = programs::uniform(n, -1, 1, 2), z = programs::uniform(n, -1, 1, 3);
    auto const m = programs::uniform(n, 0.5, 1.5, 4);
    programs::bench b("nbody_coordinates");
    b.loop(programs::results<real, real, real>{n, n, n}, loop_by_coordinate, x, y, z, m);
    b.ours("static", tx::static_function{by_coordinate}, fixed<n>(x), fixed<n>(y), fixed<n>(z), fixed<n>(m));
    b.ours("unknown", tx::static_function{by_coordinate}, open(x, n), open(y, n), open(z, n), open(m, n));
});

} // namespace
