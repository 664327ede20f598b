// Means of 5 x 5 elements around each.
#include "competitors/loops.hpp"
#include "programs.hpp"

namespace {

constexpr auto means = [](auto x) { return tx::mean(tx::sliding_window_view<5, 5>(x), tx::axis<2, 3>); };
constexpr std::int64_t n = 512;

programs::registered const program("box", [] {
    auto const x = programs::uniform(n * n, -1, 1, 1);
    programs::bench b("box");
    programs::results<programs::real> const results{(n - 4) * (n - 4)};
    b.loop(results, [](auto* out, auto const* in) { loops::box(out, in, n); }, x);
    b.ours("static", tx::static_function{means}, programs::fixed<n, n>(x));
    b.ours("unknown", tx::static_function{means}, programs::open(x, n, n));
});

} // namespace
