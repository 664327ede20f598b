// A mixture of gaussians with full covariances, of which the parameters are the precisions' Cholesky factors: value and gradient.
#include "competitors/loops.hpp"
#include "programs.hpp"

namespace {

constexpr auto likelihood = [](auto logits, auto means, auto factors, auto x) {
    auto const apart = tx::expand_dims<1>(x) - means; // [n, K, d]
    auto const z = tx::einsum<"kij,nkj->nki">(tx::tril(factors), apart);
    auto const size = tx::sum(tx::log(tx::diagonal(factors, tx::axis<1, 2>)), tx::axis<1>);
    auto const densities = size - 0.5f * tx::sum(z * z, tx::axis<2>);
    return tx::sum(tx::logsumexp(tx::log_softmax(logits) + densities, tx::axis<1>));
};
constexpr auto gradient = tx::value_and_grad<0, 1, 2>(likelihood);

constexpr std::int64_t n = 10'000, k = 25, d = 10;

programs::registered const program("full_mixture", [] {
    using programs::real, programs::fixed, programs::open;
    auto const logits = programs::uniform(k, -1, 1, 1), means = programs::uniform(k * d, -1, 1, 2);
    auto factors = programs::uniform(k * d * d, -0.3, 0.3, 3);
    for (std::int64_t i = 0; i < k * d; ++i) factors[static_cast<std::size_t>(i * d + i % d)] += 1;
    auto const x = programs::uniform(n * d, -2, 2, 4);
    programs::bench b("full_mixture", 1e-3);
    programs::results<real, real, real, real> const results{1, k, k * d, k * d * d};
    constexpr auto loop = [](auto* v, auto* a, auto* m, auto* f, auto const*... in) {
        loops::full_mixture(v, a, m, f, in..., n);
    };
    b.loop(results, loop, logits, means, factors, x);
    b.ours("static", tx::static_function{gradient}, fixed<k>(logits), fixed<k, d>(means), fixed<k, d, d>(factors),
           fixed<n, d>(x));
    b.ours("unknown", tx::static_function{gradient}, open(logits, k), open(means, k, d), open(factors, k, d, d), open(x, n, d));
});

} // namespace
