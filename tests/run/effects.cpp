// This file tests tx::assert_that and tx::check_finite: they act when the graph runs, in every kind of trace, in order, once, and
// a call that throws has changed nothing.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>
#include <run/kinds_of_traces.hpp>

#include <limits>
#include <string>
#include <vector>

using tx::shape;
using tx::tensor;
using vec = tensor<float, shape<2>>;
using rank0 = tensor<float, shape<>>;
using lines = std::vector<std::string>;

namespace {

constexpr float no_number = std::numeric_limits<float>::quiet_NaN();
constexpr float endless = std::numeric_limits<float>::infinity();

// What f throws; empty for nothing.
template <class F> std::string thrown(F const& f) {
    try {
        f();
    } catch (tx::assertion_error const& e) { return e.what(); }
    return {};
}
// As a compile-time trace, a run-time trace and eagerly.
template <class F, class... X> void check_all(F const& f, std::string const& expected, X const&... x) {
    tx::testing::in_both_traces(f, [&](auto const& g) {
        for (int run = 0; run < 2; ++run) CHECK(thrown([&] { g(x...); }) == expected);
    });
    CHECK(thrown([&] { f(x...); }) == expected);
}

constexpr auto positive = [](auto x) {
    tx::assert_that(x > 0, "not positive: {} of {{{}}}", tx::sum(x), x);
    return tx::sum(x * x * x);
};
constexpr auto is_known = [](auto x) {
    tx::check_finite(x, "input");
    return tx::log(x);
};

} // namespace

TEST_CASE("assert_that: all of a condition of any shape must hold, and the text is filled") {
    check_all(positive, "", vec{1, 2});
    check_all(positive, "tx: assert_that: not positive: -1.0 of {[ 1. -2.]}", vec{1, -2});
    check_all(positive, "", tensor<float, shape<0>>{});
    check_all([](auto x) { tx::assert_that(tx::sum(x) > 2, "small"); return x; }, "tx: assert_that: small", vec{1, 0});
    CHECK(thrown([] { tx::assert_that(true, "never {}", 1); }).empty());
    CHECK(thrown([] { tx::assert_that(false, "now {}", 1); }) == "tx: assert_that: now 1");
}

TEST_CASE("check_finite: names the first element that is not") {
    check_all(is_known, "", vec{1, 2});
    check_all(is_known, "tx: check_finite: input: nan at (1)", vec{1.f, no_number});
    check_all(is_known, "tx: check_finite: input: inf at ()", rank0(endless));
    tensor<double, shape<4, 2>> m = tx::ones<double>(shape<4, 2>{});
    m.mutable_data()[7] = -std::numeric_limits<double>::infinity();
    check_all(is_known, "tx: check_finite: input: -inf at (3, 1)", m);
    tensor<double, shape<tx::dyn, tx::dyn>> const open = m;
    check_all(is_known, "tx: check_finite: input: -inf at (3, 1)", open);
    check_all([](auto x) { tx::check_finite(x); return x; }, "tx: check_finite: nan at (0)", vec{no_number, 1.f});
    check_all([](auto x) { tx::check_finite(x); return x; }, "", tensor<int, shape<2>>{1, 2});
    check_all([](auto x) { tx::check_finite(x); return x; }, "tx: check_finite: (nan+1j) at ()",
              tensor<std::complex<float>, shape<>>(std::complex<float>(no_number, 1.f)));
    check_all([](auto x) { tx::check_finite(x); return x; }, "tx: check_finite: inf at (1)",
              tensor<tx::half, shape<2>>{tx::half(1.f), tx::half(endless)});
}

TEST_CASE("effects: in the order of the program, and a run stops at the first that fails") {
    auto const f = [](auto x) {
        tx::print("one");
        tx::assert_that(x > 0, "not positive");
        tx::print("two {}", x);
        tx::check_finite(1 / (x - 1), "pole");
        tx::print("three");
        return x;
    };
    auto const told = [&](float x) {
        lines out;
        tx::on_print([&](std::string const& line) { out.push_back(line); });
        tx::function const g{f};
        out.push_back(thrown([&] { g(rank0(x)); }));
        tx::on_print(nullptr);
        return out;
    };
    CHECK(told(2) == lines{"one", "two 2.0", "three", ""});
    CHECK(told(-2) == lines{"one", "tx: assert_that: not positive"});
    CHECK(told(1) == lines{"one", "two 1.0", "tx: check_finite: pole: inf at ()"});
}

TEST_CASE("effects: where their branch is taken") {
    auto const f = [](auto x) {
        return tx::cond(tx::sum(x) > 0, [&] {
            tx::assert_that(tx::max(x) < 10, "large");
            return x;
        }, [&] { return -x; });
    };
    check_all(f, "", vec{1, 2});
    check_all(f, "tx: assert_that: large", vec{1, 20});
    check_all(f, "", vec{-100, 20});
}

TEST_CASE("effects: with derivatives, and for each example") {
    check_all(tx::grad(positive), "tx: assert_that: not positive: -1.0 of {[ 1. -2.]}", vec{1, -2});
    check_all(tx::hessian(positive), "tx: assert_that: not positive: -1.0 of {[ 1. -2.]}", vec{1, -2});
    check_all(tx::jacfwd(positive), "tx: assert_that: not positive: -1.0 of {[ 1. -2.]}", vec{1, -2});
    CHECK(tx::equal(tx::function{tx::grad(positive)}(vec{1, 2}), vec{3, 12}));
    tensor<float, shape<2, 2>> const m{{1, 2}, {3, -4}};
    check_all(tx::vmap(positive), "tx: assert_that: not positive: -1.0 of {[ 3. -4.]}", m);
    check_all(tx::vmap(is_known), "tx: check_finite: input: nan at (1)", tensor<float, shape<2, 2>>{{1.f, 2.f}, {3.f, no_number}});
    auto const chosen = [](auto x) {
        tx::cond(tx::sum(x) > 0, [&] { tx::assert_that(x < 3, "at least 3"); }, [] {});
        return x;
    };
    check_all(tx::vmap(chosen), "", tensor<float, shape<2, 2>>{{1, 2}, {-30, 4}});
    check_all(tx::vmap(chosen), "tx: assert_that: at least 3", tensor<float, shape<2, 2>>{{1, 2}, {30, 4}});
}

TEST_CASE("effects: a call that throws changes nothing") {
    tx::function const f{[](auto x) {
        auto const y = x * 2;
        tx::check_finite(1 / tx::sum(y), "sum");
        return y;
    }};
    auto const check = [&](auto const& g) {
        vec out{7, 8};
        CHECK(thrown([&] { g.into(out, vec{1, -1}); }) == "tx: check_finite: sum: inf at ()");
        CHECK(tx::equal(out, vec{7, 8}));
        g.into(out, vec{1, 2});
        CHECK(tx::equal(out, vec{2, 4}));
    };
    check(f);
    int const kept = 1;
    check(tx::function{[&f, kept](auto x) {
        static_cast<void>(kept);
        return f(x);
    }});
    CHECK(f.tracing_count() == 1);
}

TEST_CASE("effects: tapes, eager runs, graphs") {
    tx::function const g{positive};
    CHECK(thrown([&] {
              vec const x{1, 2};
              tx::gradient_tape tape;
              tape.watch(x);
              CHECK(tx::equal(tape.gradient(g(x), x), vec{3, 12}));
          }).empty());
    tx::run_eagerly(true);
    CHECK(thrown([&] { g(vec{-1, 2}); }) == "tx: assert_that: not positive: 1.0 of {[-1.  2.]}");
    tx::run_eagerly(false);
    CHECK(tx::graph_of<tx::spec<float, shape<2>>>(is_known).to_text().find("{'input'}") != std::string::npos);
}
