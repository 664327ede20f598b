// The loss of a classifier with ten classes.
#include "competitors/loops.hpp"
#include "programs.hpp"

namespace {

constexpr auto loss = [](auto logits, auto label) {
    auto const chosen = tx::take_along_axis(tx::log_softmax(logits), tx::expand_dims<1>(label), tx::axis<1>);
    return -tx::mean(chosen);
};

constexpr std::int64_t n = 10'000, d = 10;

programs::registered const program("cross_entropy", [] {
    auto const x = programs::uniform(n * d, -3, 3, 1);
    auto const label = programs::integers<std::int32_t>(n, d, 2);
    programs::bench b("cross_entropy");
    programs::results<programs::real> const results{1};
    b.loop(results, [](auto* out, auto const*... in) { loops::cross_entropy(out, in..., n); }, x, label);
    b.ours("static", tx::static_function{loss}, programs::fixed<n, d>(x), programs::fixed<n>(label));
    b.ours("unknown", tx::static_function{loss}, programs::open(x, n, d), programs::open(label, n));
    b.ours("n unknown", tx::static_function{loss}, programs::partly<tx::dyn, d>(x, n, d), programs::open(label, n));
});

} // namespace
