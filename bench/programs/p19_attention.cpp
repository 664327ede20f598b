// Attention: each of many queries takes a mean of values, weighted by how its keys fit.
#include "callables.hpp"
#include "competitors/loops.hpp"
#include "programs.hpp"

namespace {

constexpr std::int64_t batch = 8, heads = 8, n = 1024, d = 64, size = batch * heads * n * d;

programs::registered const program("attention", [] {
    using programs::fixed, programs::open, programs::uniform;
    auto const q = uniform(size, -1, 1, 1), k = uniform(size, -1, 1, 2), v = uniform(size, -1, 1, 3);
    programs::bench b("attention", 1e-3);
    programs::results<programs::real> const results{size};
    b.loop(results, [](auto* out, auto const*... in) { loops::attention(out, in..., batch * heads, n); }, q, k, v);
    b.eigen(results, [](auto* out, auto const*... in) { eigen::attention(out, in..., batch * heads, n); }, q, k, v);
    auto const known = [](auto const& x) { return fixed<batch, heads, n, d>(x); };
    auto const unknown = [](auto const& x) { return open(x, batch, heads, n, d); };
    b.ours("static", tx::static_function{programs::attention}, known(q), known(k), known(v));
    b.ours("unknown", tx::static_function{programs::attention}, unknown(q), unknown(k), unknown(v));
});

} // namespace
