// The least of all sums: shortest paths of two steps.
#include "competitors/loops.hpp"
#include "programs.hpp"

namespace {

constexpr auto least = [](auto a, auto b) { return tx::min(tx::expand_dims<2>(a) + b, tx::axis<1>); };
constexpr std::int64_t n = 256;

programs::registered const program("min_plus", [] {
    auto const x = programs::uniform(n * n, 0, 1, 1), y = programs::uniform(n * n, 0, 1, 2);
    programs::bench b("min_plus");
    programs::results<programs::real> const results{n * n};
    b.loop(results, [](auto* out, auto const* in, auto const* of) { loops::min_plus(out, in, of, n); }, x, y);
    b.ours("static", tx::static_function{least}, programs::fixed<n, n>(x), programs::fixed<n, n>(y));
    b.ours("unknown", tx::static_function{least}, programs::open(x, n, n), programs::open(y, n, n));
});

} // namespace
