// This file tests effects in loops and branches under tx::vmap: they happen for those examples that are in the branch, or still
// in the loop, in the order of the iterations.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>
#include <messages.hpp>
#include <run/kinds_of_traces.hpp>

#include <cmath>
#include <string>
#include <vector>

using tx::shape;
using tx::tensor;
using tx::testing::in_both_traces;
using three = tensor<double, shape<3>>;
using scalar = tx::spec<double, shape<>>;
using lines = std::vector<std::string>;

namespace {

template <class F> lines printed(F const& f) {
    lines out;
    tx::on_print([&](std::string const& line) { out.push_back(line); });
    f();
    tx::on_print(nullptr);
    return out;
}

int calls = 0;
constexpr auto squared = [](auto const& x) { return ++calls, x * x; };
constexpr auto called = [](auto const& x) { return tx::opaque<scalar>(squared, x); };

// Halved until it is at most 1: 4 twice, 2 once, 0.5 not at all.
constexpr auto halved = [](auto x) {
    return tx::while_loop(
        [](auto s) {
            tx::print("ask {}", s);
            return s > 1.0;
        },
        [](auto s) {
            tx::print("halve {}", s);
            return s * 0.5;
        },
        x);
};
constexpr auto in_branch = [](auto x) {
    return tx::cond(x > 0.0, [&] {
        auto const y = tx::fori_loop(0, 2, [](auto i, auto s) {
            tx::print("{}: {}", i, s);
            tx::assert_that(s < 100.0, "large: {}", s);
            return s * 2.0;
        }, x);
        return tx::while_loop([](auto s) { return s > 10.0; }, [](auto s) {
            tx::print("halve {}", s);
            tx::check_finite(tx::log(s), "in the loop");
            return s * 0.5;
        }, y);
    }, [&] {
        tx::fori_loop(0, 2, [](auto i) { tx::print("not {}", i); });
        return x;
    });
};
// x^2 until it is larger than 100, in a branch, and once more.
constexpr auto until = [](auto x) {
    return tx::cond(x > 1.0, [&] {
        return called(tx::while_loop([](auto s) { return s < 100.0; }, [](auto s) { return called(s); }, x));
    }, [&] { return tx::fori_loop(0, 2, [](auto, auto s) { return called(s) + s; }, x); });
};
double until_of(double x) {
    if (x <= 1) {
        for (int k = 0; k < 2; ++k) x = x * x + x;
        return x;
    }
    while (x < 100) x *= x;
    return x * x;
}

} // namespace

TEST_CASE("vmap: effects of a while_loop, its condition's too, as often as each example is in it") {
    in_both_traces(tx::vmap(halved), [](auto const& f) {
        three y;
        CHECK(printed([&] { y = f(three{4, 0.5, 2}); }) ==
              lines{"ask 4.0", "ask 0.5", "ask 2.0", "halve 4.0", "halve 2.0", "ask 2.0", "ask 1.0", "halve 2.0", "ask 1.0"});
        CHECK(tx::equal(y, three{1, 0.5, 1}));
    });
}
TEST_CASE("vmap: effects of loops in branches, where the branch is taken") {
    in_both_traces(tx::vmap(in_branch), [](auto const& f) {
        three y;
        CHECK(printed([&] { y = f(three{1, -1, 8}); }) ==
              lines{"0: 1.0", "0: 8.0", "1: 2.0", "1: 16.0", "halve 32.0", "halve 16.0", "not 0", "not 1"});
        CHECK(tx::equal(y, three{4, -1, 8}));
        CHECK(message_of<tx::assertion_error>([&] { printed([&] { f(three{1, -1, 60}); }); }) == "tx: assert_that: large: 120.0");
        tx::on_print(nullptr);
    });
    in_both_traces(tx::vmap(tx::grad(in_branch)), [](auto const& f) {
        three y;
        CHECK(printed([&] { y = f(three{1, -1, 8}); }).size() == 8);
        CHECK(tx::equal(y, three{4, 1, 1}));
    });
}
TEST_CASE("vmap: opaque callables in loops in branches, and derivatives of them") {
    three const x{3, 0.5, 2};
    int const expected = 3 + 2 + 4; // 3 -> 9 -> 81 -> 6561: three, then one more
    in_both_traces(tx::vmap(until), [&](auto const& f) {
        calls = 0;
        three const y = f(x);
        CHECK(calls == expected + 1);
        for (int k = 0; k < 3; ++k) CHECK(y(k) == doctest::Approx(until_of(x(k))));
    });
    auto const check_slopes = [&](auto const& f) {
        calls = 0;
        three const y = f(x);
        CHECK(calls == expected + 1);
        for (int k = 0; k < 3; ++k)
            CHECK(y(k) == doctest::Approx((until_of(x(k) + 1e-6) - until_of(x(k) - 1e-6)) / 2e-6).epsilon(1e-6));
    };
    in_both_traces(tx::vmap(tx::grad(until)), check_slopes);
    in_both_traces(tx::grad([](auto a) { return tx::sum(tx::vmap(until)(a)); }), check_slopes);
}
TEST_CASE("vmap: effects in a branch of an inner vmap, or around one, and draws in loops") {
    tensor<double, shape<2, 2>> const x{{1, -1}, {-2, 3}};
    auto const around = [](auto row) {
        return tx::cond(tx::sum(row) > 0.0, [&] {
            return tx::vmap([](auto e) {
                tx::print("{}", e);
                return tx::cond(e > 2.0, [&] {
                    tx::print("large {}", e);
                    return e;
                }, [&] { return -e; });
            })(row);
        }, [&] { return row; });
    };
    in_both_traces(tx::vmap(around), [&](auto const& f) {
        tensor<double, shape<2, 2>> y;
        CHECK(printed([&] { y = f(x); }) == lines{"-2.0", "3.0", "large 3.0"});
        CHECK(tx::equal(y, tensor<double, shape<2, 2>>{{1, -1}, {2, 3}}));
    });
    // Each example draws until a number is above 0.75: the mean of 1 + steps is 4.
    tx::function const waits{tx::vmap([](auto v) {
        return tx::while_loop([](auto u, auto) { return u < 0.75; },
                              [](auto u, auto n) { return std::tuple(u * 0.0 + tx::random::uniform<double>(shape<>{}, 0.0, 1.0), n + 1.0); }, v, v);
    })};
    tx::random::seed(3);
    auto const steps = std::get<1>(waits(tensor<double, shape<512>>{}));
    CHECK(tx::mean(steps).item() == doctest::Approx(4).epsilon(0.15));
    CHECK(tx::max(steps).item() > tx::min(steps).item());
}
