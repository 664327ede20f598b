// The cosine of the angle between rows of two matrices.
#include "competitors/loops.hpp"
#include "programs.hpp"

namespace {

constexpr auto cosines = [](auto a, auto b) {
    return tx::sum(a * b, tx::axis<1>) / (tx::norm(a, tx::axis<1>) * tx::norm(b, tx::axis<1>));
};

constexpr std::int64_t n = 10'000, d = 48;

programs::registered const program("cosine", [] {
    auto const x = programs::uniform(n * d, -1, 1, 1), y = programs::uniform(n * d, -1, 1, 2);
    programs::bench b("cosine");
    programs::results<programs::real> const results{n};
    b.loop(results, [](auto* out, auto const* p, auto const* q) { loops::cosines(out, p, q, n); }, x, y);
    b.eigen(results, [](auto* out, auto const* p, auto const* q) { eigen::cosines(out, p, q, n); }, x, y);
    b.ours("static", tx::static_function{cosines}, programs::fixed<n, d>(x), programs::fixed<n, d>(y));
    b.ours("unknown", tx::static_function{cosines}, programs::open(x, n, d), programs::open(y, n, d));
    b.ours("n unknown", tx::static_function{cosines}, programs::partly<tx::dyn, d>(x, n, d),
           programs::partly<tx::dyn, d>(y, n, d));
});

} // namespace
