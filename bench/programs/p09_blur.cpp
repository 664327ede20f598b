// A separable blur: five weights along rows, then along columns.
#include "competitors/loops.hpp"
#include "programs.hpp"

namespace {

constexpr auto blur = [](auto x) {
    auto const along =
        tx::slice(x, tx::ellipsis, tx::range<0, -4>) * 0.0625f + tx::slice(x, tx::ellipsis, tx::range<1, -3>) * 0.25f +
        tx::slice(x, tx::ellipsis, tx::range<2, -2>) * 0.375f + tx::slice(x, tx::ellipsis, tx::range<3, -1>) * 0.25f +
        tx::slice(x, tx::ellipsis, tx::range<4, tx::open>) * 0.0625f;
    return tx::slice(along, tx::range<0, -4>) * 0.0625f + tx::slice(along, tx::range<1, -3>) * 0.25f +
           tx::slice(along, tx::range<2, -2>) * 0.375f + tx::slice(along, tx::range<3, -1>) * 0.25f +
           tx::slice(along, tx::range<4, tx::open>) * 0.0625f;
};

constexpr std::int64_t n = 2048;

programs::registered const program("blur", [] {
    auto const x = programs::uniform(n * n, 0, 1, 1);
    programs::bench b("blur");
    programs::results<programs::real> const results{(n - 4) * (n - 4)};
    b.loop(results, [](auto* out, auto const* in) { loops::blur(out, in, n, n); }, x);
    b.eigen(results, [](auto* out, auto const* in) { eigen::blur(out, in, n, n); }, x);
    b.ours("static", tx::static_function{blur}, programs::fixed<n, n>(x));
    b.ours("unknown", tx::static_function{blur}, programs::open(x, n, n));
});

} // namespace
