// Bags of embeddings: sums of five rows of a table.
#include "competitors/loops.hpp"
#include "programs.hpp"

namespace {

constexpr auto bags = [](auto table, auto places) { return tx::sum(tx::take(table, places, tx::axis<0>), tx::axis<1>); };

constexpr std::int64_t rows = 10'000, d = 64, n = 10'000, m = 5;

programs::registered const program("bag", [] {
    auto const table = programs::uniform(rows * d, -1, 1, 1);
    auto const places = programs::integers<std::int32_t>(n * m, rows, 2);
    programs::bench b("bag");
    programs::results<programs::real> const results{n * d};
    b.loop(results, [](auto* out, auto const* table, auto const* i) { loops::bags(out, table, i, n, m); }, table, places);
    b.ours("static", tx::static_function{bags}, programs::fixed<rows, d>(table), programs::fixed<n, m>(places));
    b.ours("unknown", tx::static_function{bags}, programs::open(table, rows, d), programs::open(places, n, m));
    b.ours("n unknown", tx::static_function{bags}, programs::partly<tx::dyn, d>(table, rows, d),
           programs::partly<tx::dyn, m>(places, n, m));
});

} // namespace
