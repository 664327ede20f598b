// For each of some points the nearest of others.
#include "competitors/loops.hpp"
#include "programs.hpp"

namespace {

constexpr auto nearest = [](auto a, auto b) {
    return tx::argmin(tx::sum(tx::square(tx::expand_dims<1>(a) - tx::expand_dims<0>(b)), tx::axis<2>), tx::axis<1>);
};

constexpr std::int64_t n = 2000;

programs::registered const program("nearest", [] {
    auto const a = programs::uniform(n * 3, -1, 1, 1), b = programs::uniform(n * 3, -1, 1, 2);
    programs::bench bench("nearest", 1e-4, 1e-3);
    programs::results<std::int64_t> const results{n};
    bench.loop(results, [](auto* out, auto const* x, auto const* y) { loops::nearest(out, x, y, n, n); }, a, b);
    bench.ours("static", tx::static_function{nearest}, programs::fixed<n, 3>(a), programs::fixed<n, 3>(b));
    bench.ours("unknown", tx::static_function{nearest}, programs::open(a, n, 3), programs::open(b, n, 3));
    bench.ours("n unknown", tx::static_function{nearest}, programs::partly<tx::dyn, 3>(a, n, 3),
               programs::partly<tx::dyn, 3>(b, n, 3));
});

} // namespace
