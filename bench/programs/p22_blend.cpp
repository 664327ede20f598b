// Two images of bytes, mixed as a mask says: grey, and with three colours a pixel.
#include "competitors/loops.hpp"
#include "programs.hpp"

namespace {

constexpr auto blend = [](auto a, auto b, auto mask) {
    return tx::cast<std::uint8_t>(tx::round(tx::cast<programs::real>(a) * mask + tx::cast<programs::real>(b) * (1 - mask)));
};
constexpr auto blend_colours = [](auto a, auto b, auto mask) { return blend(a, b, tx::expand_dims<2>(mask)); };

constexpr std::int64_t rows = 1080, columns = 1920, n = rows * columns;

programs::registered const grey("blend", [] {
    using programs::fixed, programs::open;
    auto const x = programs::integers<std::uint8_t>(n, 256, 1), y = programs::integers<std::uint8_t>(n, 256, 2);
    auto const m = programs::uniform(n, 0, 1, 3);
    programs::bench b("blend", 1e-4, 1e-3);
    programs::results<std::uint8_t> const results{n};
    b.loop(results, [](auto* out, auto const*... in) { loops::blend(out, in..., n); }, x, y, m);
    b.eigen(results, [](auto* out, auto const*... in) { eigen::blend(out, in..., n); }, x, y, m);
    b.ours("static", tx::static_function{blend}, fixed<rows, columns>(x), fixed<rows, columns>(y), fixed<rows, columns>(m));
    b.ours("unknown", tx::static_function{blend}, open(x, rows, columns), open(y, rows, columns), open(m, rows, columns));
});
programs::registered const colours("blend_colours", [] {
    using programs::fixed, programs::open;
    auto const x = programs::integers<std::uint8_t>(3 * n, 256, 1), y = programs::integers<std::uint8_t>(3 * n, 256, 2);
    auto const m = programs::uniform(n, 0, 1, 3);
    programs::bench b("blend_colours", 1e-4, 1e-3);
    programs::results<std::uint8_t> const results{3 * n};
    b.loop(results, [](auto* out, auto const*... in) { loops::blend_colours(out, in..., n); }, x, y, m);
    b.ours("static", tx::static_function{blend_colours}, fixed<rows, columns, 3>(x), fixed<rows, columns, 3>(y),
           fixed<rows, columns>(m));
    b.ours("unknown", tx::static_function{blend_colours}, open(x, rows, columns, 3), open(y, rows, columns, 3),
           open(m, rows, columns));
    auto const colours_of = [](auto const& image) { return programs::partly<tx::dyn, tx::dyn, 3>(image, rows, columns, 3); };
    b.ours("n unknown", tx::static_function{blend_colours}, colours_of(x), colours_of(y), open(m, rows, columns));
});

} // namespace
