// Regression by kernels of all pairs of points: value, and gradient with respect to the factors and to the kernels' length.
#include "competitors/loops.hpp"
#include "programs.hpp"

namespace {

constexpr auto loss = [](auto a, auto length, auto x, auto y) {
    auto const squared = tx::sum(tx::square(tx::expand_dims<1>(x) - tx::expand_dims<0>(x)), tx::axis<2>);
    auto const kernel = tx::exp(squared * (-0.5f / (length * length))); // [n, n]
    auto const found = tx::sum(kernel * a, tx::axis<1>);
    return tx::sum(tx::square(found - y)) + 0.1f * tx::sum(a * found);
};
constexpr auto gradient = tx::value_and_grad<0, 1>(loss);

constexpr std::int64_t n = 5000, d = 8;

programs::registered const program("ridge", [] {
    using programs::real, programs::fixed, programs::open;
    auto const a = programs::uniform(n, -0.1, 0.1, 1), x = programs::uniform(n * d, -1, 1, 2), y = programs::uniform(n, -1, 1, 3);
    programs::buffer<real> const length{1.25f};
    programs::bench b("ridge", 1e-3);
    programs::results<real, real, real> const results{1, n, 1};
    constexpr auto loop = [](auto* v, auto* da, auto* dl, auto const*... in) { loops::ridge(v, da, dl, in..., n); };
    constexpr auto eigen = [](auto* v, auto* da, auto* dl, auto const*... in) { eigen::ridge(v, da, dl, in..., n); };
    b.loop(results, loop, a, length, x, y);
    b.eigen(results, eigen, a, length, x, y);
    auto const l = programs::fixed<>(length);
    b.ours("static", tx::static_function{gradient}, fixed<n>(a), l, fixed<n, d>(x), fixed<n>(y));
    b.ours("unknown", tx::static_function{gradient}, open(a, n), l, open(x, n, d), open(y, n));
    b.ours("n unknown", tx::static_function{gradient}, open(a, n), l, programs::partly<tx::dyn, d>(x, n, d), open(y, n));
});

} // namespace
