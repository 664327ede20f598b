// Twenty-odd cheap ops in a row.
#include "competitors/loops.hpp"
#include "programs.hpp"

namespace {

constexpr auto chain = [](auto x, auto y) {
    auto h = x * 0.5f;
    for (int i = 0; i < 4; ++i) h = tx::abs(tx::maximum(h * y + x, -0.5f) - 0.25f);
    return h - x;
};

constexpr std::int64_t n = 1'000'000;

programs::registered const program("chain", [] {
    auto const x = programs::uniform(n, -1, 1, 1), y = programs::uniform(n, -1, 1, 2);
    programs::bench b("chain");
    programs::results<programs::real> const results{n};
    b.loop(results, [](auto* out, auto const* p, auto const* q) { loops::chain(out, p, q, n); }, x, y);
    b.eigen(results, [](auto* out, auto const* p, auto const* q) { eigen::chain(out, p, q, n); }, x, y);
    b.ours("static", tx::static_function{chain}, programs::fixed<n>(x), programs::fixed<n>(y));
    b.ours("unknown", tx::static_function{chain}, programs::open(x, n), programs::open(y, n));
});

} // namespace
