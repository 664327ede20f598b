// A convolution of 3 x 3, from 16 channels to 32, which are first.
#include "competitors/loops.hpp"
#include "programs.hpp"

namespace {

constexpr auto convolved = [](auto x, auto w) {
    return tx::einsum<"chwab,ocab->ohw">(tx::sliding_window_view<3, 3>(x, tx::axis<1, 2>), w);
};
constexpr auto summed = [](auto x, auto w) {
    auto const windows = tx::sliding_window_view<3, 3>(x, tx::axis<1, 2>);
    return tx::sum(tx::expand_dims<0>(windows) * tx::expand_dims<2>(tx::expand_dims<2>(w)), tx::axis<1, 4, 5>);
};
constexpr std::int64_t n = 64, m = n + 2, channels = 16, filters = 32;

programs::registered const program("convolution", [] {
    auto const x = programs::uniform(channels * m * m, -1, 1, 1), w = programs::uniform(filters * channels * 9, -1, 1, 2);
    programs::bench b("convolution");
    programs::results<programs::real> const results{filters * n * n};
    b.loop(
        results, [](auto* out, auto const* in, auto const* of) { loops::convolution(out, in, of, n, channels, filters); }, x, w);
    b.ours("static", tx::static_function{convolved}, programs::fixed<channels, m, m>(x),
           programs::fixed<filters, channels, 3, 3>(w));
    b.ours("unknown", tx::static_function{summed}, programs::open(x, channels, m, m),
           programs::partly<tx::dyn, tx::dyn, 3, 3>(w, filters, channels, 3, 3));
});

} // namespace
