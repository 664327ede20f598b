// Many triangular systems, of eight right sides each.
#include "competitors/loops.hpp"
#include "programs.hpp"

namespace {

constexpr auto solved = [](auto a, auto b) { return tx::linalg::solve_triangular(a, b, tx::linalg::lower); };
constexpr std::int64_t count = 200, n = 32, k = 8;

programs::registered const program("triangles", [] {
    auto a = programs::uniform(count * n * n, -1, 1, 1);
    for (std::int64_t q = 0; q < count; ++q)
        for (std::int64_t i = 0; i < n; ++i) a[static_cast<std::size_t>((q * n + i) * n + i)] = 8;
    auto const right = programs::uniform(count * n * k, -1, 1, 2);
    programs::bench b("triangles");
    b.loop(
        programs::results<programs::real>{count * n * k},
        [](auto* out, auto const* x, auto const* y) { loops::triangles(out, x, y, count, n, k); }, a, right);
    b.ours("static", tx::static_function{solved}, programs::fixed<count, n, n>(a), programs::fixed<count, n, k>(right));
    b.ours("unknown", tx::static_function{solved}, programs::open(a, count, n, n), programs::open(right, count, n, k));
});

} // namespace
