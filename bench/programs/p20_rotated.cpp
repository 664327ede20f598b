// Points turned by a matrix, and how far they then are from another.
#include "competitors/loops.hpp"
#include "programs.hpp"

namespace {

constexpr auto rotated = [](auto x, auto rotation, auto point) {
    auto const turned = tx::matmul(x, tx::transpose(rotation));
    return std::tuple(turned, tx::norm(turned - point, tx::axis<1>));
};

constexpr std::int64_t n = 1'000'000;

programs::registered const program("rotated", [] {
    using programs::real, programs::fixed, programs::open;
    auto const x = programs::uniform(n * 3, -1, 1, 1), r = programs::uniform(9, -1, 1, 2), p = programs::uniform(3, -1, 1, 3);
    programs::bench b("rotated");
    programs::results<real, real> const results{n * 3, n};
    b.loop(results, [](auto* out, auto* far, auto const*... in) { loops::rotated(out, far, in..., n); }, x, r, p);
    b.eigen(results, [](auto* out, auto* far, auto const*... in) { eigen::rotated(out, far, in..., n); }, x, r, p);
    b.ours("static", tx::static_function{rotated}, fixed<n, 3>(x), fixed<3, 3>(r), fixed<3>(p));
    b.ours("unknown", tx::static_function{rotated}, open(x, n, 3), open(r, 3, 3), open(p, 3));
    b.ours("n unknown", tx::static_function{rotated}, programs::partly<tx::dyn, 3>(x, n, 3), fixed<3, 3>(r), fixed<3>(p));
});

} // namespace
