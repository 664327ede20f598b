// Exponential smoothing: a scan of scalars.
#include "competitors/loops.hpp"
#include "programs.hpp"

namespace {

constexpr auto smoothed = [](auto x) {
    using number = typename decltype(x)::value_type;
    auto const step = [](auto state, auto next) {
        auto const out = number(0.94) * state + number(0.06) * next;
        return std::pair{out, out};
    };
    return tx::scan(step, tx::full<number, tx::shape<>>(0), x).second;
};
constexpr std::int64_t n = 100'000;

programs::registered const program("smoothing", [] {
    auto const x = programs::uniform(n, -1, 1, 1);
    programs::bench b("smoothing");
    b.loop(programs::results<programs::real>{n}, [](auto* out, auto const* in) { loops::smoothing(out, in, n); }, x);
    b.ours("static", tx::static_function{smoothed}, programs::fixed<n>(x));
    b.ours("unknown", tx::static_function{smoothed}, programs::open(x, n));
});

} // namespace
