// Running sums of rows.
#include "competitors/loops.hpp"
#include "programs.hpp"

namespace {

constexpr auto sums = [](auto x) { return tx::cumsum(x, tx::axis<1>); };

constexpr std::int64_t n = 1000;

programs::registered const program("cumsum", [] {
    auto const x = programs::uniform(n * n, -1, 1, 1);
    programs::bench b("cumsum", 1e-3);
    programs::results<programs::real> const results{n * n};
    b.loop(results, [](auto* out, auto const* in) { loops::cumsum(out, in, n, n); }, x);
    b.ours("static", tx::static_function{sums}, programs::fixed<n, n>(x));
    b.ours("unknown", tx::static_function{sums}, programs::open(x, n, n));
});

} // namespace
