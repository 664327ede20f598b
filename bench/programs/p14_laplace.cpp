// The Laplacian by five points.
#include "callables.hpp"
#include "competitors/loops.hpp"
#include "programs.hpp"

namespace {

constexpr std::int64_t n = 1024;

programs::registered const program("laplace", [] {
    auto const x = programs::uniform(n * n, -1, 1, 1);
    programs::bench b("laplace");
    programs::results<programs::real> const results{(n - 2) * (n - 2)};
    b.loop(results, [](auto* out, auto const* in) { loops::laplace(out, in, n, n); }, x);
    b.eigen(results, [](auto* out, auto const* in) { eigen::laplace(out, in, n, n); }, x);
    b.ours("static", tx::static_function{programs::laplace}, programs::fixed<n, n>(x));
    b.ours("unknown", tx::static_function{programs::laplace}, programs::open(x, n, n));
});

} // namespace
