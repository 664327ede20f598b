// Means of the four neighbours on a torus, by rolls.
#include "competitors/loops.hpp"
#include "programs.hpp"

namespace {

constexpr auto means = [](auto x) {
    using number = typename decltype(x)::value_type;
    return number(0.25) * (tx::roll<1>(x, tx::axis<0>) + tx::roll<-1>(x, tx::axis<0>) + tx::roll<1>(x, tx::axis<1>) +
                           tx::roll<-1>(x, tx::axis<1>));
};
constexpr std::int64_t n = 1024;

programs::registered const program("periodic", [] {
    auto const x = programs::uniform(n * n, -1, 1, 1);
    programs::bench b("periodic");
    b.loop(programs::results<programs::real>{n * n}, [](auto* out, auto const* in) { loops::periodic(out, in, n); }, x);
    b.ours("static", tx::static_function{means}, programs::fixed<n, n>(x));
    b.ours("unknown", tx::static_function{means}, programs::open(x, n, n));
});

} // namespace
