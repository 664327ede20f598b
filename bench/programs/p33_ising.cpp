// The energy of spins on a torus: a sum of products with what is rolled.
#include "competitors/loops.hpp"
#include "programs.hpp"

namespace {

constexpr auto energy = [](auto x) { return -tx::sum(x * (tx::roll<-1>(x, tx::axis<0>) + tx::roll<-1>(x, tx::axis<1>))); };
constexpr std::int64_t n = 1024;

programs::registered const program("ising", [] {
    auto x = programs::uniform(n * n, -1, 1, 1);
    programs::bench b("ising");
    b.loop(programs::results<programs::real>{1}, [](auto* out, auto const* in) { loops::ising(out, in, n); }, x);
    b.ours("static", tx::static_function{energy}, programs::fixed<n, n>(x));
    b.ours("unknown", tx::static_function{energy}, programs::open(x, n, n));
});

} // namespace
