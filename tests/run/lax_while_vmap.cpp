// This file tests while_loop and fori_loop under vmap: the condition, the state and values around them are batched or shared, as
// in JAX's testWhileLoopBatched, testWhileLoopCondConstsBatched and the like.
#include <run/ways_to_run.hpp>

using tx::none;
using tx::shape;
using tx::tensor;
using tx::testing::near;
using tx::testing::traced_at_run_time;
using tx::testing::when_traced;
using single = tensor<double, shape<>>;
using int0 = tensor<int, shape<>>;
using four = tensor<double, shape<4>>;
using ints = tensor<int, shape<4>>;

namespace {

// How often `step` fits between start and limit, and where that ends.
constexpr auto climb = [](auto start, auto limit, auto step) {
    return tx::while_loop([=](auto x, auto) { return x < limit; }, [=](auto x, auto k) { return std::tuple(x + step, k + 1); },
                          start, tx::cast<int>(start * 0));
};
std::pair<double, int> climbed(double start, double limit, double step) {
    int k = 0;
    for (; start < limit; start += step) ++k;
    return {start, k};
}
four const starts{0, 3, 9, 20}, limits{10, 4, 9, 30}, steps{1, 2, 3, 4};

template <auto S, auto L, auto P> void check_axes() {
    auto const pick = [](auto axis, auto const& all) {
        if constexpr (decltype(axis)::value == none) return single(all(0));
        else return all;
    };
    auto const start = pick(std::integral_constant<decltype(S), S>{}, starts);
    auto const limit = pick(std::integral_constant<decltype(L), L>{}, limits);
    auto const step = pick(std::integral_constant<decltype(P), P>{}, steps);
    when_traced(tx::vmap<S, L, P>(climb), [&](auto const& f) {
        auto const [x, k] = f(start, limit, step);
        for (int i = 0; i < 4; ++i) {
            auto const [want_x, want_k] = climbed(starts(S == none ? 0 : i), limits(L == none ? 0 : i), steps(P == none ? 0 : i));
            CHECK(x(i) == want_x);
            CHECK(k(i) == want_k);
        }
    });
    // x = start + k step
    auto const g = traced_at_run_time(
        tx::grad<0, 1, 2>([](auto a, auto b, auto c) { return tx::sum(std::get<0>(tx::vmap<S, L, P>(climb)(a, b, c))); }));
    auto const [ds, dl, dp] = g(start, limit, step);
    four counts;
    for (int i = 0; i < 4; ++i)
        counts.mutable_data()[i] = climbed(starts(S == none ? 0 : i), limits(L == none ? 0 : i), steps(P == none ? 0 : i)).second;
    if constexpr (S == none) CHECK(ds.item() == 4);
    else CHECK(tx::equal(ds, four{1, 1, 1, 1}));
    CHECK(tx::sum(tx::abs(dl)).item() == 0);
    if constexpr (P == none) CHECK(dp.item() == tx::sum(counts).item());
    else CHECK(tx::equal(dp, counts));
}

} // namespace

TEST_CASE("while, vmap: start, limit and step, each batched or shared") {
    check_axes<0, none, none>();
    check_axes<none, 0, none>();
    check_axes<none, none, 0>();
    check_axes<0, 0, 0>();
}

TEST_CASE("while, vmap: a number of iterations for each example, and nested ones") {
    auto const power = [](auto x, auto n) { return tx::fori_loop(0, n, [x](auto, auto s) { return s * x; }, x * 0 + 1); };
    when_traced(tx::vmap(power),
                [](auto const& f) { CHECK(tx::equal(f(four{2, 3, 4, 5}, ints{3, 0, 1, 2}), four{8, 1, 4, 25})); });
    when_traced(tx::grad([power](auto x, auto n) { return tx::sum(tx::vmap(power)(x, n)); }),
                [](auto const& g) { CHECK(tx::equal(g(four{2, 3, 4, 5}, ints{3, 0, 1, 2}), four{12, 0, 1, 10})); });
    when_traced(tx::grad([power](auto x, auto n) {
                    return tx::sum(tx::grad([=](auto y) { return tx::sum(tx::vmap(power)(y, n)); })(x));
                }),
                [](auto const& g) { CHECK(tx::equal(g(four{2, 3, 4, 5}, ints{3, 0, 1, 2}), four{12, 0, 0, 2})); });
    when_traced(tx::vmap(tx::vmap<0, none>(power)), [](auto const& f) {
        auto const out = f(tensor<double, shape<4, 2>>{{2, 3}, {2, 3}, {2, 3}, {2, 3}}, ints{3, 0, 1, 2});
        CHECK(tx::equal(out, tensor<double, shape<4, 2>>{{8, 27}, {1, 1}, {2, 3}, {4, 9}}));
    });
    when_traced(tx::vmap(tx::vmap<none, 0>(power)), [](auto const& f) {
        auto const out = f(four{2, 3, 4, 5}, tensor<int, shape<4, 2>>{{0, 1}, {2, 3}, {1, 0}, {0, 0}});
        CHECK(tx::equal(out, tensor<double, shape<4, 2>>{{1, 2}, {9, 27}, {4, 1}, {1, 1}}));
    });
    auto const triangle = [](auto n) { // sums of 0 ... i - 1 for i up to n: two loops, both of the example's own length
        return tx::fori_loop(
            0, n, [](auto i, auto s) { return tx::fori_loop(0, i, [](auto j, auto t) { return t + j; }, s); },
            tx::cast<std::int64_t>(n * 0));
    };
    when_traced(tx::vmap(triangle),
                [](auto const& f) { CHECK(tx::equal(f(ints{0, 1, 4, 6}), tensor<std::int64_t, shape<4>>{0, 0, 4, 20})); });
}

TEST_CASE("while, vmap: branches and scans in the body, examples that are done compute nothing that counts") {
    auto const f = [](auto x) {
        return tx::while_loop([](auto v) { return tx::abs(v) < 10; },
                              [](auto v) { return tx::cond(v > 0, [&] { return v * 2; }, [&] { return v - 3; }); }, x);
    };
    when_traced(tx::vmap(f), [](auto const& g) { CHECK(tx::equal(g(four{1, -1, 11, 6}), four{16, -10, 11, 12})); });
    when_traced(tx::grad([f](auto x) { return tx::sum(tx::vmap(f)(x)); }),
                [](auto const& g) { CHECK(tx::equal(g(four{1, -1, 11, 6}), four{16, 1, 1, 2})); });
    auto const factorial = [](auto x) { // log(x) of examples that are done is -inf, and NaN
        return std::get<1>(tx::while_loop([](auto k, auto) { return k > 0.5; },
                                          [](auto k, auto s) { return std::tuple(k - 1, s + tx::log(k)); }, x, x * 0));
    };
    when_traced(tx::vmap(factorial), [](auto const& g) { CHECK(near(g(four{0, 3, 1, 5}), tx::log(four{1, 6, 1, 120}))); });
    when_traced(tx::grad([factorial](auto x) { return tx::sum(tx::vmap(factorial)(x)); }),
                [](auto const& g) { CHECK(near(g(four{0, 3, 1, 5}), four{0, 1 + .5 + 1 / 3., 1, 1 + .5 + 1 / 3. + .25 + .2})); });
    when_traced(tx::vmap(tx::jvp(factorial)), [](auto const& g) {
        auto const [value, slope] = g(four{0, 3, 1, 5}, four{1, 1, 1, 2});
        CHECK(near(value, tx::log(four{1, 6, 1, 120})));
        CHECK(near(slope, four{0, 1 + .5 + 1 / 3., 1, 2 * (1 + .5 + 1 / 3. + .25 + .2)}));
    });
}
