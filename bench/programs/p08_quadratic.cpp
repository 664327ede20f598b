// A quadratic form for each example, each with a matrix of its own.
#include "competitors/loops.hpp"
#include "programs.hpp"

namespace {

constexpr auto forms = tx::vmap([](auto x, auto a) { return tx::dot(x, tx::matmul(a, x)); });

constexpr std::int64_t n = 100'000, d = 8;

programs::registered const program("quadratic", [] {
    auto const x = programs::uniform(n * d, -1, 1, 1), a = programs::uniform(n * d * d, -1, 1, 2);
    programs::bench b("quadratic");
    programs::results<programs::real> const results{n};
    b.loop(results, [](auto* out, auto const* v, auto const* m) { loops::quadratic(out, v, m, n); }, x, a);
    b.eigen(results, [](auto* out, auto const* v, auto const* m) { eigen::quadratic(out, v, m, n); }, x, a);
    b.ours("static", tx::static_function{forms}, programs::fixed<n, d>(x), programs::fixed<n, d, d>(a));
    b.ours("unknown", tx::static_function{forms}, programs::open(x, n, d), programs::open(a, n, d, d));
    b.ours("n unknown", tx::static_function{forms}, programs::partly<tx::dyn, d>(x, n, d),
           programs::partly<tx::dyn, d, d>(a, n, d, d));
});

} // namespace
