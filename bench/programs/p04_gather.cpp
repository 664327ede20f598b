// Elements at given places, times others, plus 1.
#include "competitors/loops.hpp"
#include "programs.hpp"

namespace {

constexpr auto gathered = [](auto x, auto places, auto y) { return tx::take(x, places) * y + 1; };

constexpr std::int64_t n = 1'000'000;

programs::registered const program("gather", [] {
    auto const x = programs::uniform(n, -1, 1, 1), y = programs::uniform(n, -1, 1, 2);
    auto const places = programs::integers<std::int32_t>(n, n, 3);
    programs::bench b("gather");
    programs::results<programs::real> const results{n};
    b.loop(results, [](auto* out, auto const* x, auto const* i, auto const* y) { loops::gather(out, x, i, y, n); }, x, places, y);
    b.eigen(
        results, [](auto* out, auto const* x, auto const* i, auto const* y) { eigen::gather(out, x, i, y, n); }, x, places, y);
    b.ours("static", tx::static_function{gathered}, programs::fixed<n>(x), programs::fixed<n>(places), programs::fixed<n>(y));
    b.ours("unknown", tx::static_function{gathered}, programs::open(x, n), programs::open(places, n), programs::open(y, n));
});

} // namespace
