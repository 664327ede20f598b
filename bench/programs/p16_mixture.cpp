// The gradient of a mixture's log likelihood: gaussians with diagonal covariances.
#include "competitors/loops.hpp"
#include "programs.hpp"

namespace {

constexpr auto likelihood = [](auto logits, auto means, auto logs, auto x) {
    auto const z = (tx::expand_dims<1>(x) - means) * tx::exp(-logs); // [n, K, d]
    auto const densities = tx::sum(-0.5f * z * z - logs, tx::axis<2>);
    return tx::sum(tx::logsumexp(tx::log_softmax(logits) + densities, tx::axis<1>));
};
constexpr auto gradient = tx::grad<0, 1, 2>(likelihood);

constexpr std::int64_t n = 10'000, k = 16, d = 8;

programs::registered const program("mixture", [] {
    using programs::real, programs::fixed, programs::open;
    auto const logits = programs::uniform(k, -1, 1, 1), means = programs::uniform(k * d, -1, 1, 2);
    auto const logs = programs::uniform(k * d, -0.5, 0.5, 3), x = programs::uniform(n * d, -2, 2, 4);
    programs::bench b("mixture", 1e-3);
    programs::results<real, real, real> const results{k, k * d, k * d};
    constexpr auto loop = [](auto* a, auto* m, auto* s, auto const*... in) { loops::mixture(a, m, s, in..., n); };
    b.loop(results, loop, logits, means, logs, x);
    b.ours("static", tx::static_function{gradient}, fixed<k>(logits), fixed<k, d>(means), fixed<k, d>(logs), fixed<n, d>(x));
    b.ours("unknown", tx::static_function{gradient}, open(logits, k), open(means, k, d), open(logs, k, d), open(x, n, d));
    b.ours("n unknown", tx::static_function{gradient}, fixed<k>(logits), fixed<k, d>(means), fixed<k, d>(logs),
           programs::partly<tx::dyn, d>(x, n, d));
});

} // namespace
