// Sums of the values that belong to the same group: by what adds to the places that take reads, and by a product with a one-hot
// matrix.
#include "competitors/loops.hpp"
#include "programs.hpp"

namespace {

constexpr std::int64_t groups = 1000;

constexpr auto added = [](auto x, auto group) {
    auto const read = [&](auto totals) { return tx::sum(tx::take(totals, group) * x); };
    return tx::grad(read)(tx::zeros_like(tx::broadcast_to<groups>(tx::slice(x, tx::at<0>))));
};
constexpr auto multiplied = [](auto x, auto group) {
    return tx::matmul(x, tx::one_hot<programs::real>(group, tx::depth<groups>));
};

constexpr std::int64_t n = 1'000'000, fewer = 100'000;
constexpr auto loop = [](auto* out, auto const* x, auto const* i, std::int64_t count) {
    loops::groups(out, x, i, count, groups);
};

programs::registered const adding("groups", [] {
    auto const x = programs::uniform(n, 0, 1, 1);
    auto const i = programs::integers<std::int32_t>(n, groups, 2);
    programs::bench b("groups");
    programs::results<programs::real> const results{groups};
    b.loop(results, loop, x, i, n);
    b.ours("static", tx::static_function{added}, programs::fixed<n>(x), programs::fixed<n>(i));
    b.ours("unknown", tx::static_function{added}, programs::open(x, n), programs::open(i, n));
});
programs::registered const product("groups_one_hot", [] {
    auto const x = programs::uniform(fewer, 0, 1, 1);
    auto const i = programs::integers<std::int32_t>(fewer, groups, 2);
    programs::bench b("groups_one_hot");
    programs::results<programs::real> const results{groups};
    b.loop(results, loop, x, i, fewer);
    b.ours("static", tx::static_function{multiplied}, programs::fixed<fewer>(x), programs::fixed<fewer>(i));
    b.ours("unknown", tx::static_function{multiplied}, programs::open(x, fewer), programs::open(i, fewer));
});

} // namespace
