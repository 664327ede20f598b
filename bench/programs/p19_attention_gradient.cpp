// Value and gradient of attention.
#include "competitors/loops.hpp"
#include "programs.hpp"

namespace {

constexpr auto loss = [](auto q, auto k, auto v, auto w) {
    return tx::sum(tx::matmul(tx::softmax(tx::matmul(q, tx::matrix_transpose(k)) * 0.125f), v) * w);
};
constexpr auto gradient = tx::value_and_grad<0, 1, 2>(loss);

constexpr std::int64_t batch = 8, heads = 8, n = 1024, d = 64, size = batch * heads * n * d;

programs::registered const program("attention_gradient", [] {
    using programs::fixed, programs::open, programs::uniform, programs::real;
    auto const q = uniform(size, -1, 1, 1), k = uniform(size, -1, 1, 2), v = uniform(size, -1, 1, 3), w = uniform(size, -1, 1, 4);
    programs::bench b("attention_gradient", 1e-2);
    programs::results<real, real, real, real> const results{1, size, size, size};
    constexpr auto loop = [](auto* value, auto* dq, auto* dk, auto* dv, auto const*... in) {
        loops::attention_gradient(value, dq, dk, dv, in..., batch * heads, n);
    };
    constexpr auto eigen = [](auto* value, auto* dq, auto* dk, auto* dv, auto const*... in) {
        eigen::attention_gradient(value, dq, dk, dv, in..., batch * heads, n);
    };
    b.loop(results, loop, q, k, v, w);
    b.eigen(results, eigen, q, k, v, w);
    auto const known = [](auto const& x) { return fixed<batch, heads, n, d>(x); };
    auto const unknown = [](auto const& x) { return open(x, batch, heads, n, d); };
    b.ours("static", tx::static_function{gradient}, known(q), known(k), known(v), known(w));
    b.ours("unknown", tx::static_function{gradient}, unknown(q), unknown(k), unknown(v), unknown(w));
});

} // namespace
