// A filter of 64 taps over a million samples.
#include "competitors/loops.hpp"
#include "programs.hpp"

namespace {

constexpr auto filtered = [](auto x, auto w) { return tx::matmul(tx::sliding_window_view<64>(x), w); };
constexpr auto summed = [](auto x, auto w) { return tx::sum(tx::sliding_window_view<64>(x) * w, tx::axis<1>); };
constexpr std::int64_t n = 1'000'000, taps = 64;

programs::registered const program("fir", [] {
    auto const x = programs::uniform(n + taps - 1, -1, 1, 1), w = programs::uniform(taps, -1, 1, 2);
    programs::bench b("fir");
    programs::results<programs::real> const results{n};
    b.loop(results, [](auto* out, auto const* in, auto const* of) { loops::fir(out, in, of, n, taps); }, x, w);
    b.ours("static", tx::static_function{filtered}, programs::fixed<n + taps - 1>(x), programs::fixed<taps>(w));
    b.ours("a sum", tx::static_function{summed}, programs::fixed<n + taps - 1>(x), programs::fixed<taps>(w));
    b.ours("n unknown", tx::static_function{filtered}, programs::open(x, n + taps - 1), programs::fixed<taps>(w));
});

} // namespace
