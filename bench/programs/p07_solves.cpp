// Many small systems of equations.
#include "competitors/loops.hpp"
#include "programs.hpp"

namespace {

constexpr auto solves = tx::vmap([](auto a, auto b) { return tx::linalg::solve(a, b); });

constexpr std::int64_t n = 10'000, d = 4;

programs::registered const program("solves", [] {
    auto a = programs::uniform(n * d * d, -1, 1, 1);
    for (std::int64_t i = 0; i < n * d; ++i) a[static_cast<std::size_t>(i * d + i % d)] += 4;
    auto const y = programs::uniform(n * d, -1, 1, 2);
    programs::bench b("solves");
    programs::results<programs::real> const results{n * d};
    b.loop(results, [](auto* out, auto const* m, auto const* r) { loops::solves(out, m, r, n); }, a, y);
    b.eigen(results, [](auto* out, auto const* m, auto const* r) { eigen::solves(out, m, r, n); }, a, y);
    b.ours("static", tx::static_function{solves}, programs::fixed<n, d, d>(a), programs::fixed<n, d>(y));
    b.ours("unknown", tx::static_function{solves}, programs::open(a, n, d, d), programs::open(y, n, d));
    b.ours("n unknown", tx::static_function{solves}, programs::partly<tx::dyn, d, d>(a, n, d, d),
           programs::partly<tx::dyn, d>(y, n, d));
});

} // namespace
