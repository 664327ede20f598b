// This file tests derivatives of opaque callables and of draws in branches and loops: each is called once for each evaluation,
// and its recorded results serve the derivatives. Expected values are closed forms.
#include "kinds_of_traces.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

using tx::shape;
using tx::tensor;
using tx::testing::in_both_traces;

namespace {

using number = tensor<double, shape<>>;
using vec = tensor<double, shape<3>>;
using scalar = tx::spec<double, shape<>>;

int calls = 0;
constexpr auto squared = [](auto const& x) { return ++calls, x * x; };
constexpr auto called = [](auto const& x) { return tx::opaque<scalar>(squared, x); };

// x^8 in three squarings, each by a call.
constexpr auto eighth = [](auto x) { return tx::fori_loop(0, 3, [](auto, auto s) { return called(s); }, x); };
// The same until it is larger than 100.
constexpr auto until = [](auto x) {
    return tx::while_loop([](auto s) { return s < 100.0; }, [](auto s) { return called(s); }, x);
};
constexpr auto chosen = [](auto x) {
    return tx::cond(x > 1.0, [&] { return called(called(x)) + x; }, [&] { return tx::sin(x); });
};
// A branch within a loop, and a loop within that: x -> x^2, then x^2 + x^4 ... for those above 1; states halved otherwise.
constexpr auto nested = [](auto x) {
    return tx::scan(
               [](auto s, auto k) {
                   auto const next = tx::cond(
                       k > 0.5, [&] { return tx::fori_loop(0, 2, [&](auto, auto t) { return called(t) * 0.5; }, s); },
                       [&] { return s + called(s) * k; });
                   return std::pair(next, next * k);
               },
               x, tx::stack(tx::axis<0>, x * 0.0 + 0.25, x * 0.0 + 1.0, x * 0.0 + 2.0))
        .first;
};
double nested_value(double x) {
    double s = x;
    for (double const k : {0.25, 1.0, 2.0}) {
        if (k > 0.5)
            for (int i = 0; i < 2; ++i) s = s * s * 0.5;
        else s = s + s * s * k;
    }
    return s;
}
template <class F> double slope(F const& f, double x) { return (f(x + 1e-6) - f(x - 1e-6)) / 2e-6; }

// What f(x) gives, and how often the callable ran.
template <class F> double counted(F const& f, double x, int expected) {
    calls = 0;
    double const out = f(number(x)).item();
    CHECK(calls == expected);
    return out;
}

} // namespace

TEST_CASE("opaque in loops: first and second derivatives, both modes, one call an iteration") {
    in_both_traces(eighth, [](auto const& f) { CHECK(counted(f, 1.5, 3) == doctest::Approx(std::pow(1.5, 8))); });
    in_both_traces(tx::grad(eighth), [](auto const& f) { CHECK(counted(f, 1.5, 3) == doctest::Approx(8 * std::pow(1.5, 7))); });
    in_both_traces(tx::grad(tx::grad(eighth)),
                   [](auto const& f) { CHECK(counted(f, 1.5, 3) == doctest::Approx(56 * std::pow(1.5, 6))); });
    in_both_traces([](auto x) { return tx::jvp(eighth)(x, x * 0.0 + 1.0).second; },
                   [](auto const& f) { CHECK(counted(f, 1.5, 3) == doctest::Approx(8 * std::pow(1.5, 7))); });
}

TEST_CASE("opaque in a while_loop: as many calls as iterations") {
    in_both_traces(until, [](auto const& f) { CHECK(counted(f, 2, 3) == 256); });
    in_both_traces(tx::grad(until), [](auto const& f) {
        CHECK(counted(f, 2, 3) == doctest::Approx(8 * std::pow(2.0, 7)));
        CHECK(counted(f, 4, 2) == doctest::Approx(4 * std::pow(4.0, 3)));
        CHECK(counted(f, 200, 0) == 1);
    });
    in_both_traces([](auto x) { return tx::jvp(tx::grad(until))(x, x * 0.0 + 1.0).second; },
                   [](auto const& f) { CHECK(counted(f, 2, 3) == doctest::Approx(56 * std::pow(2.0, 6))); });
}

TEST_CASE("opaque in branches: those of the branch that is taken") {
    in_both_traces(tx::grad(chosen), [](auto const& f) {
        CHECK(counted(f, 2, 2) == doctest::Approx(4 * 8 + 1));
        CHECK(counted(f, 0.5, 0) == doctest::Approx(std::cos(0.5)));
    });
    in_both_traces(tx::grad(tx::grad(chosen)), [](auto const& f) {
        CHECK(counted(f, 2, 2) == doctest::Approx(12 * 4));
        CHECK(counted(f, 0.5, 0) == doctest::Approx(-std::sin(0.5)));
    });
}

TEST_CASE("opaque in loops in branches in loops") {
    in_both_traces(nested, [](auto const& f) { CHECK(counted(f, 1.25, 5) == doctest::Approx(nested_value(1.25))); });
    in_both_traces(tx::grad(nested),
                   [](auto const& f) { CHECK(counted(f, 1.25, 5) == doctest::Approx(slope(nested_value, 1.25))); });
    in_both_traces(tx::grad(tx::grad(nested)), [](auto const& f) {
        CHECK(counted(f, 1.25, 5) == doctest::Approx(slope([](double x) { return slope(nested_value, x); }, 1.25)).epsilon(1e-2));
    });
}

TEST_CASE("opaque in loops and branches for several examples: each has calls of its own") {
    vec const x{1.5, 0.5, -1.25};
    in_both_traces(tx::vmap(tx::grad(eighth)), [&](auto const& f) {
        calls = 0;
        vec const y = f(x);
        CHECK(calls == 9);
        for (int k = 0; k < 3; ++k) CHECK(y(k) == doctest::Approx(8 * std::pow(x(k), 7)));
    });
    in_both_traces(tx::grad([](auto a) { return tx::sum(tx::vmap(chosen)(a) * a); }), [&](auto const& f) {
        calls = 0;
        vec const y = f(x);
        CHECK(calls == 2);
        auto const value = [](double v) { return v * (v > 1 ? v * v * v * v + v : std::sin(v)); };
        for (int k = 0; k < 3; ++k) CHECK(y(k) == doctest::Approx(slope(value, x(k))).epsilon(1e-6));
    });
    // One call for all examples beside one for each.
    auto const shared = [](auto a) {
        return tx::fori_loop(
            0, 2, [](auto, auto s) { return called(s) * tx::opaque<scalar>(squared, tx::sum(s) * 0.0 + 3.0); }, a);
    };
    in_both_traces(tx::vmap(tx::grad(shared)), [&](auto const& f) {
        vec const y = f(x);
        for (int k = 0; k < 3; ++k) CHECK(y(k) == doctest::Approx(4 * std::pow(9.0, 3) * std::pow(x(k), 3)));
    });
}

TEST_CASE("draws in loops and branches: derivatives see the numbers that were drawn") {
    // s -> s * keep / 0.5 with other numbers in each iteration: the product of the masks, times x.
    auto const noisy = [](auto x) {
        return tx::scan([](auto s, auto k) { return std::pair(tx::nn::dropout(s, 0.75) * k, tx::sum(s)); }, x,
                        tx::linspace<double, 3>(1.0, 2.0))
            .first;
    };
    vec const x{0.5, -2, 3};
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
        in_both_traces(tx::value_and_grad([=](auto a) { return tx::sum(noisy(a)); }), [&](auto const& f) {
            tx::random::seed(seed);
            auto const [value, gradient] = f(x);
            CHECK(value.item() == doctest::Approx(tx::sum(gradient * x).item())); // it is linear in x
        });
    }
    tx::function const f{tx::grad([](auto a) {
        return tx::sum(
            tx::cond(tx::sum(a) > 0.0, [&] { return a * a * tx::random::uniform<double>(shape<3>{}); }, [&] { return a; }));
    })};
    tx::random::seed(5);
    auto const drawn = tx::random::uniform<double>(shape<3>{});
    tx::random::seed(5);
    vec const y = f(x);
    for (int k = 0; k < 3; ++k) CHECK(y(k) == doctest::Approx(2 * x(k) * drawn(k)));
}

TEST_CASE("opaque in loops: the tape takes over what was recorded") {
    tx::function const f{eighth};
    number const x = 1.5;
    tx::gradient_tape tape;
    tape.watch(x);
    calls = 0;
    auto const y = f(x);
    number const g = tape.gradient(y, x);
    CHECK(calls == 3);
    CHECK(g.item() == doctest::Approx(8 * std::pow(1.5, 7)));
}

TEST_CASE("effects in loops within loops don't disturb derivatives") {
    auto const f = [](auto x) {
        auto const inner = [](auto s) {
            return tx::while_loop([](auto n, auto) { return n < 3; },
                                  [](auto n, auto t) {
                                      tx::assert_that(t < 1e6, "too large: {}", t);
                                      return std::tuple(n + 1, t * 1.5);
                                  },
                                  0, s);
        };
        return tx::fori_loop(0, 2, [&](auto, auto s) { return std::get<1>(inner(s)) * s; }, x);
    };
    in_both_traces(tx::grad(f), [](auto const& g) { CHECK(g(number(2.0)).item() == doctest::Approx(4 * std::pow(1.5, 9) * 8)); });
}
