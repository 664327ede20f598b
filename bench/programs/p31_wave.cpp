// A step of the wave equation, whose border absorbs (Mur, 1981), by one set after the other.
#include "competitors/loops.hpp"
#include "programs.hpp"

namespace {

using tx::slice, tx::at;
constexpr auto inside = tx::range<1, -1>;
constexpr auto step = [](auto u, auto before) {
    using number = typename decltype(u)::value_type;
    constexpr number k = (number(0.5) - 1) / (number(0.5) + 1), quarter = number(0.25);
    constexpr auto low = tx::range<0, -2>;
    constexpr auto high = tx::range<2, tx::open>;
    auto const here = slice(u, inside, inside);
    auto const around =
        slice(u, inside, low) + slice(u, inside, high) + slice(u, low, inside) + slice(u, high, inside) - 4 * here;
    auto n = tx::set(u, 2 * here - slice(before, inside, inside) + quarter * around, inside, inside);
    auto const left =
        tx::set(n, slice(u, inside, at<1>) + k * (slice(n, inside, at<1>) - slice(u, inside, at<0>)), inside, at<0>);
    auto const right =
        tx::set(left, slice(u, inside, at<-2>) + k * (slice(n, inside, at<-2>) - slice(u, inside, at<-1>)), inside, at<-1>);
    auto const top =
        tx::set(right, slice(u, at<1>, inside) + k * (slice(n, at<1>, inside) - slice(u, at<0>, inside)), at<0>, inside);
    return tx::set(top, slice(u, at<-2>, inside) + k * (slice(n, at<-2>, inside) - slice(u, at<-1>, inside)), at<-1>, inside);
};
constexpr std::int64_t n = 512;

programs::registered const program("wave", [] {
    auto const u = programs::uniform(n * n, -1, 1, 1), before = programs::uniform(n * n, -1, 1, 2);
    programs::bench b("wave");
    b.loop(
        programs::results<programs::real>{n * n}, [](auto* out, auto const* x, auto const* y) { loops::wave(out, x, y, n); }, u,
        before);
    b.ours("static", tx::static_function{step}, programs::fixed<n, n>(u), programs::fixed<n, n>(before));
    b.ours("unknown", tx::static_function{step}, programs::open(u, n, n), programs::open(before, n, n));
});

} // namespace
