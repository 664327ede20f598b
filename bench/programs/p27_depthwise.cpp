// A filter of 5 x 5 for each of 32 channels, which are last.
#include "competitors/loops.hpp"
#include "programs.hpp"

namespace {

constexpr auto filtered = [](auto x, auto w) {
    return tx::einsum<"hwcab,abc->hwc">(tx::sliding_window_view<5, 5>(x, tx::axis<0, 1>), w);
};
constexpr auto summed = [](auto x, auto w) {
    return tx::sum(tx::sliding_window_view<5, 5>(x, tx::axis<0, 1>) * tx::transpose<2, 0, 1>(w), tx::axis<3, 4>);
};
constexpr std::int64_t n = 64, m = n + 4, channels = 32;

programs::registered const program("depthwise", [] {
    auto const x = programs::uniform(m * m * channels, -1, 1, 1), w = programs::uniform(25 * channels, -1, 1, 2);
    programs::bench b("depthwise");
    programs::results<programs::real> const results{n * n * channels};
    b.loop(results, [](auto* out, auto const* in, auto const* of) { loops::depthwise(out, in, of, n); }, x, w);
    b.ours("static", tx::static_function{filtered}, programs::fixed<m, m, channels>(x), programs::fixed<5, 5, channels>(w));
    b.ours("unknown", tx::static_function{summed}, programs::open(x, m, m, channels),
           programs::partly<5, 5, tx::dyn>(w, 5, 5, channels));
});

} // namespace
