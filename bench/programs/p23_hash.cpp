// A hash of integers: shifts, exclusive ors and products.
#include "competitors/loops.hpp"
#include "programs.hpp"

namespace {

constexpr auto hash = [](auto x) {
    auto h = (x ^ (x >> 16)) * 0x7feb352du;
    h = (h ^ (h >> 15)) * 0x846ca68bu;
    h = h ^ (h >> 16);
    h = h ^ (h << 13);
    h = (h ^ (h >> 17)) * 0x9e3779b1u;
    return h ^ (h << 5);
};

constexpr std::int64_t n = 1'000'000;

programs::registered const program("hash", [] {
    auto const x = programs::integers<std::uint32_t>(n, std::int64_t{1} << 32, 1);
    programs::bench b("hash");
    programs::results<std::uint32_t> const results{n};
    b.loop(results, [](auto* out, auto const* in) { loops::hash(out, in, n); }, x);
    b.ours("static", tx::static_function{hash}, programs::fixed<n>(x));
    b.ours("unknown", tx::static_function{hash}, programs::open(x, n));
});

} // namespace
