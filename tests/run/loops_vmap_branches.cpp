// This file tests loops in branches and in other loops under tx::vmap, which end for each example separately, against one example
// after the other in plain C++, and finite differences.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>
#include <run/kinds_of_traces.hpp>

#include <cmath>
#include <cstdint>

using tx::shape;
using tx::tensor;
using tx::testing::in_all;
using tx::testing::in_both_traces;
using four = tensor<double, shape<4>>;

namespace {

// These end for x > 0 only.
constexpr auto shrink = [](auto x) {
    return tx::while_loop([](auto y) { return (y <= 0.0) || (y > 1e-3); }, [](auto y) { return y * 0.1; }, x);
};
constexpr auto square_down = [](auto x) {
    return tx::while_loop([](auto y) { return (y <= 0.0) || (y > 0.1); }, [](auto y) { return y * y * 0.1; }, x);
};
double shrunk(double x) {
    while (x <= 0 || x > 1e-3) x *= 0.1;
    return x;
}
double squared_down(double x) {
    while (x <= 0 || x > 0.1) x = x * x * 0.1;
    return x;
}

constexpr auto in_branch = [](auto x) { return tx::cond(x >= 0.0, [&] { return square_down(x); }, [&] { return x; }); };
double of_branch(double x) { return x >= 0 ? squared_down(x) : x; }

// The second loop in a loop in a branch begins where the first ends.
constexpr auto in_fori = [](auto x) {
    return tx::cond(x >= 0.0, [&] { return tx::fori_loop(0, 2, [](auto, auto s) { return square_down(s) * 50.0; }, x); },
                    [&] { return x; });
};
double of_fori(double x) { return x >= 0 ? squared_down(squared_down(x) * 50) * 50 : x; }

constexpr auto in_cases = [](auto x) {
    auto const number = tx::cast<std::int64_t>(x > 0.0) + tx::cast<std::int64_t>(x > 2.0);
    return tx::switch_case(number, std::tuple([](auto v) { return -v; }, [](auto v) { return shrink(v); },
                                              [](auto v) { return square_down(v - 1.5) + v; }), x);
};
double of_cases(double x) { return x > 2 ? squared_down(x - 1.5) + x : x > 0 ? shrunk(x) : -x; }

constexpr auto in_branches = [](auto x) {
    return tx::cond(x >= 0.0, [&] {
        auto const y = x + 1.0;
        return tx::cond(x > 5.0, [&] { return square_down(x - 5.0); }, [&] { return shrink(y) * x; });
    }, [&] { return tx::cond(x < -2.0, [&] { return square_down(-1.5 - x); }, [&] { return x * x; }); });
};
double of_branches(double x) {
    if (x >= 0) return x > 5 ? squared_down(x - 5) : shrunk(x + 1) * x;
    return x < -2 ? squared_down(-1.5 - x) : x * x;
}

constexpr auto in_scan = [](auto x) {
    return tx::cond(x >= 0.0, [&] {
        auto const elements = tx::linspace<double, 3>(1.0, 3.0);
        auto const [last, ys] = tx::scan([](auto s, auto k) { return std::pair(square_down(s + k), shrink(s)); }, x, elements);
        return last + tx::sum(ys) + tx::sum(tx::map([&](auto k) { return square_down(k * x * 0.13); }, elements));
    }, [&] { return x; });
};
double of_scan(double x) {
    if (x < 0) return x;
    double s = x, sum = 0;
    for (double const k : {1.0, 2.0, 3.0}) sum += shrunk(s) + squared_down(k * x * 0.13), s = squared_down(s + k);
    return s + sum;
}

// Where the outer loop is done for an example, the inner one would never end.
constexpr auto in_while = [](auto x) {
    return tx::while_loop([](auto s) { return s > 1.0; }, [](auto s) { return s - 1.0 + square_down(s - 1.0); }, x);
};
double of_while(double x) {
    while (x > 1) x = x - 1 + squared_down(x - 1);
    return x;
}

constexpr double at[]{3, -3, 0.5, 7};
template <class Y, class Of> void check_values(Y const& y, Of of) {
    for (int k = 0; k < 4; ++k) CHECK(y(k) == doctest::Approx(of(at[k])).epsilon(1e-9));
}
template <class Y, class Of> void check_slopes(Y const& y, Of of) {
    for (int k = 0; k < 4; ++k) {
        double const slope = (of(at[k] + 1e-6) - of(at[k] - 1e-6)) / 2e-6;
        CHECK(y(k) == doctest::Approx(slope).epsilon(1e-6));
    }
}
template <class F, class Of> void check_each(F const& f, Of of) {
    four const x{3, -3, 0.5, 7};
    tensor<double> const open = x;
    tx::function const traced{[f, kept = 1](auto v) {
        static_cast<void>(kept);
        return std::tuple(tx::vmap(f)(v), tx::vmap(tx::grad(f))(v), tx::grad([&](auto a) { return tx::sum(tx::vmap(f)(a)); })(v));
    }};
    auto const check = [&](auto const& all) {
        check_values(std::get<0>(all), of), check_slopes(std::get<1>(all), of), check_slopes(std::get<2>(all), of);
    };
    check(traced(x)), check(traced(open));
}

} // namespace

TEST_CASE("vmap: a loop in a branch goes on only while an example of its branch asks for it") {
    four const x{3, -3, 0.5, 7};
    in_all(tx::vmap(in_branch), [&](auto const& f) { check_values(f(x), of_branch); });
    tx::static_function const slopes{tx::vmap(tx::grad(in_branch))};
    check_slopes(slopes(x), of_branch);
    check_each(in_branch, of_branch);
    // y = 0.1 (0.1 x^2)^2 after two iterations.
    four const second = tx::vmap(tx::grad(tx::grad(in_branch)))(four{3, -3, 2.5, 2});
    CHECK(second(0) == doctest::Approx(12 * 1e-3 * 9));
    CHECK(second(1) == 0);
    CHECK(second(2) == doctest::Approx(12 * 1e-3 * 2.5 * 2.5));
    four const none{-1, -2, -3, -4};
    CHECK(tx::equal(tx::vmap(in_branch)(none), none));
}
TEST_CASE("vmap: loops in loops and branches in branches, and for cases") {
    check_each(in_fori, of_fori);
    check_each(in_cases, of_cases);
    check_each(in_branches, of_branches);
}
TEST_CASE("vmap: a loop in a scan or map in a branch, and in a loop that is done for some examples") {
    check_each(in_scan, of_scan);
    check_each(in_while, of_while);
    tx::static_function const values{tx::vmap(in_while)};
    check_values(values(four{3, -3, 0.5, 7}), of_while);
}
TEST_CASE("vmap: a loop in a branch with a condition that all examples share") {
    auto const doubled = [](auto x, auto n) {
        return tx::cond(x >= 0.0, [&] { return tx::fori_loop(0, n, [](auto i, auto s) { return s * 2.0 + i; }, x); }, [&] { return x; });
    };
    four const x{3, -3, 0.5, 7};
    in_both_traces(tx::vmap<0, tx::none>(doubled), [&](auto const& f) {
        CHECK(tx::equal(f(x, tensor<std::int64_t, shape<>>(3)), four{28, -3, 8, 60}));
        CHECK(tx::equal(f(x, tensor<std::int64_t, shape<>>(0)), x));
    });
    // One that never ends isn't begun where no example asks for it.
    auto const endless = [](auto v, auto n) {
        return tx::cond(v >= 0.0, [&] { return v + tx::while_loop([](auto k) { return k != 0.0; }, [](auto k) { return k; }, n); },
                        [&] { return v; });
    };
    in_both_traces(tx::vmap<0, tx::none>(endless), [&](auto const& f) {
        four const below{-3, -1, -0.5, -7};
        CHECK(tx::equal(f(below, tensor<double, shape<>>(1.0)), below));
    });
}
TEST_CASE("vmap: of a vmap of loops in branches") {
    tensor<double, shape<2, 2>> const x{{3, -3}, {0.5, 7}};
    in_both_traces(tx::vmap(tx::vmap(in_while)), [&](auto const& f) {
        auto const y = f(x);
        for (int k = 0; k < 4; ++k) CHECK(y(k / 2, k % 2) == doctest::Approx(of_while(at[k])));
    });
    tx::function const g{tx::vmap(tx::vmap(tx::grad(in_branches)))};
    check_slopes(tx::reshape(g(x), shape<4>{}), of_branches);
}
