// Rows of a table, looked up.
#include "competitors/loops.hpp"
#include "programs.hpp"

namespace {

constexpr auto embedding = [](auto table, auto places) { return tx::take(table, places, tx::axis<0>); };

constexpr std::int64_t rows = 100'000, d = 64, n = 100'000;

programs::registered const program("embedding", [] {
    auto const table = programs::uniform(rows * d, -1, 1, 1);
    auto const places = programs::integers<std::int32_t>(n, rows, 2);
    programs::bench b("embedding");
    programs::results<programs::real> const results{n * d};
    b.loop(results, [](auto* out, auto const* t, auto const* i) { loops::embedding(out, t, i, n); }, table, places);
    b.ours("static", tx::static_function{embedding}, programs::fixed<rows, d>(table), programs::fixed<n>(places));
    b.ours("unknown", tx::static_function{embedding}, programs::open(table, rows, d), programs::open(places, n));
});

} // namespace
