// How a point's picture depends on camera and point: the Jacobians of a projection of 15 variables (a rotation's matrix, a shift,
// a point), for many examples.
#include "competitors/loops.hpp"
#include "programs.hpp"

namespace {

constexpr auto project = [](auto p) {
    auto const rotation = tx::reshape<3, 3>(tx::slice(p, tx::range<0, 9>));
    auto const seen = tx::matmul(rotation, tx::slice(p, tx::range<12, 15>)) + tx::slice(p, tx::range<9, 12>);
    auto const flat = tx::slice(seen, tx::range<0, 2>) / tx::slice(seen, tx::at<2>);
    auto const squared = tx::sum(flat * flat);
    return flat * (1 + 0.1f * squared + 0.01f * squared * squared);
};
constexpr auto jacobians = tx::vmap(tx::jacfwd(project));

constexpr std::int64_t n = 30'000, d = 15;

programs::registered const program("jacobians", [] {
    auto p = programs::uniform(n * d, -1, 1, 1);
    for (std::int64_t i = 0; i < n; ++i) p[static_cast<std::size_t>(i * d + 11)] += 5; // before the camera
    programs::bench b("jacobians");
    programs::results<programs::real> const results{n * 2 * d};
    b.loop(results, [](auto* out, auto const* in) { loops::jacobians(out, in, n); }, p);
    b.ours("static", tx::static_function{jacobians}, programs::fixed<n, d>(p));
    b.ours("n unknown", tx::static_function{jacobians}, programs::partly<tx::dyn, d>(p, n, d));
});

} // namespace
