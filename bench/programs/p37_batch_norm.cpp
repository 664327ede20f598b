// Normalisation of each channel over a batch.
#include "competitors/loops.hpp"
#include "programs.hpp"

namespace {

using tx::axis;
constexpr auto normal = [](auto x, auto gain, auto bias) {
    using number = typename decltype(x)::value_type;
    auto const apart = x - tx::mean(x, axis<0, 2>, tx::keepdims);
    auto const variance = tx::mean(apart * apart, axis<0, 2>, tx::keepdims);
    return apart * (tx::expand_dims<1>(gain) / tx::sqrt(variance + number(1e-5))) + tx::expand_dims<1>(bias);
};
constexpr std::int64_t n = 32, channels = 64, m = 196;

programs::registered const program("batch_norm", [] {
    using programs::fixed, programs::open;
    auto const x = programs::uniform(n * channels * m, -1, 1, 1), g = programs::uniform(channels, 0, 1, 2),
               shift = programs::uniform(channels, -1, 1, 3);
    programs::bench b("batch_norm");
    b.loop(
        programs::results<programs::real>{n * channels * m},
        [](auto* out, auto const*... in) { loops::batch_norm(out, in..., n, channels, m); }, x, g, shift);
    b.ours("static", tx::static_function{normal}, fixed<n, channels, m>(x), fixed<channels>(g), fixed<channels>(shift));
    b.ours("unknown", tx::static_function{normal}, open(x, n, channels, m), open(g, channels), open(shift, channels));
});

} // namespace
