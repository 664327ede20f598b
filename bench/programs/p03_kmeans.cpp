// A step of k-means: the nearest centre of each point, and the means of those that have the same.
#include "competitors/loops.hpp"
#include "programs.hpp"

namespace {

constexpr std::int64_t n = 10'000, d = 8, k = 16;

constexpr auto step = [](auto x, auto centres) {
    auto const distances = tx::sum(tx::square(tx::expand_dims<1>(x) - centres), tx::axis<2>); // [n, k]
    auto const nearest = tx::argmin(distances, tx::axis<1>);
    auto const member = tx::one_hot<programs::real>(nearest, tx::depth<k>); // [n, k]
    auto const counts = tx::maximum(tx::sum(member, tx::axis<0>), 1);
    return std::tuple(nearest, tx::matmul(tx::transpose(member), x) / tx::expand_dims<1>(counts));
};

programs::registered const program("kmeans", [] {
    using programs::real;
    auto const x = programs::uniform(n * d, -1, 1, 1), c = programs::uniform(k * d, -1, 1, 2);
    programs::bench b("kmeans", 1e-3, 1e-3);
    programs::results<std::int64_t, real> const results{n, k * d};
    b.loop(results, [](auto* at, auto* out, auto const* x, auto const* c) { loops::kmeans(at, out, x, c, n); }, x, c);
    b.ours("static", tx::static_function{step}, programs::fixed<n, d>(x), programs::fixed<k, d>(c));
    b.ours("unknown", tx::static_function{step}, programs::open(x, n, d), programs::open(c, k, d));
    b.ours("n unknown", tx::static_function{step}, programs::partly<tx::dyn, d>(x, n, d), programs::fixed<k, d>(c));
});

} // namespace
