// This file tests assignments to variables in callables that are traced.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <functional>

#include "messages.hpp"

using tx::shape;
using tx::tensor;
using single_variable = tx::variable<float, shape<>>;
using vec = tensor<float, shape<3>>;

namespace {

single_variable global{0.0f};

struct counter {
    single_variable c{0.0f};
    constexpr auto operator()(auto x) {
        c.assign_add(x);
        return c * 2.0f;
    }
};
struct layer {
    tx::variable<float, shape<3>> w;
    auto operator()(auto x) {
        w.assign_sub(x * 0.5f);
        return x * w;
    }
};

} // namespace

TEST_CASE("variables: a lambda that adds to what it refers to") {
    single_variable c{0.0f};
    tx::function const f{[&c](auto x) {
        c.assign_add(x);
        return c.value();
    }};
    CHECK(f(1.0f).item() == 1);
    CHECK(c.item() == 1);
    CHECK(f(2.5f).item() == 3.5f);
    CHECK(c.item() == 3.5f);
    c.assign(10.0f);
    CHECK(f(1.0f).item() == 11);
    CHECK(f.tracing_count() == 1);
}

TEST_CASE("variables: reads and assignments keep the order of the program") {
    single_variable c{1.0f};
    tx::function const f{[&c](auto x) {
        auto const before = c + 0.0f;
        c.assign(x * 2.0f);
        auto const between = c * 10.0f;
        c.assign_sub(1.0f);
        return std::tuple(before, between, c.value());
    }};
    auto const [before, between, after] = f(3.0f);
    CHECK(before.item() == 1);
    CHECK(between.item() == 60);
    CHECK(after.item() == 5);
    CHECK(c.item() == 5);
    CHECK(std::get<0>(f(0.0f)).item() == 5);
    CHECK(c.item() == -1);
}

TEST_CASE("variables: at namespace scope, without an operand of the trace, and without a result") {
    global.assign(0.0f);
    tx::function const count{[](auto x) {
        global.assign_add(1.0f);
        return x;
    }};
    CHECK(count(7.0f).item() == 7);
    CHECK(count(7.0f).item() == 7);
    CHECK(global.item() == 2);
    tx::function const add{[](auto x) { global.assign_add(x); }};
    add(5.0f);
    CHECK(global.item() == 7);
    tx::function const twice{[] { global.assign(global * 2.0f); }};
    twice();
    CHECK(global.item() == 14);
    tx::function const last{[](auto x) {
        global.assign(x);
        global.assign(x * x);
    }};
    last(3.0f);
    CHECK(global.item() == 9);
}

TEST_CASE("variables: members of functors, owned and referred to") {
    counter own;
    tx::function const f{own}, g{own};
    tx::function const refers{std::ref(own)};
    CHECK(f(1.0f).item() == 2);
    CHECK(f(1.0f).item() == 4);
    CHECK(g(10.0f).item() == 20);
    CHECK(own.c.item() == 0);
    CHECK(refers(3.0f).item() == 6);
    CHECK(own.c.item() == 3);
    own.c.assign(0.0f);
    CHECK(refers(1.0f).item() == 2);
    auto copy = f;
    CHECK(copy(1.0f).item() == 6);
    CHECK(f(2.0f).item() == 8);
    CHECK(copy(0.0f).item() == 6);
    CHECK(f.tracing_count() == 1);
}

TEST_CASE("variables: = assigns, and a copy is a variable of its own") {
    single_variable c{1.0f};
    single_variable const other{5.0f};
    tx::function const f{[&](auto x) {
        c = other;
        auto copy = c;
        copy.assign_add(x);
        single_variable local{0.0f};
        local.assign(copy + 1.0f);
        return std::tuple(copy.value(), c.value(), local.value());
    }};
    auto const [copied, kept, local] = f(2.0f);
    CHECK(copied.item() == 7);
    CHECK(kept.item() == 5);
    CHECK(local.item() == 8);
    CHECK(c.item() == 5);
}

TEST_CASE("variables: two objects of one class, and functions that share one") {
    layer one{{vec{1, 2, 3}}}, two{{vec{10, 20, 30}}};
    vec const x{2, 4, 6};
    tx::function const sum{[&](auto v) { return one(v) + two(v); }};
    CHECK(tx::equal(sum(x), vec{2 * 0 + 2 * 9, 4 * 0 + 4 * 18, 6 * 0 + 6 * 27}));
    CHECK(tx::equal(one.w.value(), vec{0, 0, 0}));
    CHECK(tx::equal(two.w.value(), vec{9, 18, 27}));
    tx::function const chained{[&](auto v) { return two(one(v)); }};
    CHECK(tx::equal(chained(x), vec{-2 * (9 + 1), -8 * (18 + 4), -18 * (27 + 9)}));
    CHECK(tx::equal(one.w.value(), vec{-1, -2, -3}));
    CHECK(tx::equal(two.w.value(), vec{10, 22, 36}));
    single_variable c{0.0f};
    tx::function const add{[&c](auto v) { c.assign_add(v); }};
    tx::function const read{[&c](auto v) { return c * v; }};
    add(3.0f);
    CHECK(read(2.0f).item() == 6);
    add(1.0f);
    CHECK(read(2.0f).item() == 8);
}

TEST_CASE("variables: functions within functions hand on what they assign") {
    single_variable c{1.0f};
    counter own;
    tx::function const add{[&c](auto x) {
        c.assign_add(x);
        return c.value();
    }};
    tx::function const none{[&c] { c.assign(c * 2.0f); }};
    tx::function const counts{own};
    tx::function const refers{std::ref(own)};
    tx::function const outer{[&](auto x) {
        auto const first = add(x);
        none();
        auto const second = add(1.0f);
        return std::tuple{first, second, counts(x), refers(x), refers(x)};
    }};
    for (float k : {0.0f, 1.0f}) {
        float const before = c.item();
        auto const [first, second, counted, once, twice] = outer(3.0f);
        CHECK(first.item() == before + 3);
        CHECK(second.item() == 2 * (before + 3) + 1);
        CHECK(c.item() == second.item());
        CHECK(counted.item() == 2 * (3 + 3 * k));
        CHECK(once.item() == 6 + 12 * k);
        CHECK(twice.item() == 12 + 12 * k);
    }
    CHECK(own.c.item() == 12);
    CHECK(counts(0.0f).item() == 12);
}

TEST_CASE("variables: a call that throws changes nothing") {
    single_variable c{1.0f};
    tx::variable<float, tx::shape<tx::dyn>> v{tx::ones<float, tx::shape<tx::dyn>>(3)};
    tx::function const f{[&](auto x) {
        c.assign_add(tx::sum(x));
        tx::assert_that(tx::all(x > 0), "positive");
        v.assign(x);
        return c.value();
    }};
    using open = tensor<float, tx::shape<tx::dyn>>;
    CHECK(f(open{1, 2, 3}).item() == 7);
    CHECK_THROWS_AS(f(open{1, -2, 3}), tx::assertion_error);
    CHECK(c.item() == 7);
    CHECK(message_of<tx::shape_error>([&] { f(open{1, 2}); }).find("tx: variable: assign:") == 0);
    CHECK(c.item() == 7);
    CHECK(tx::equal(v.value(), open{1, 2, 3}));
    CHECK(f(open{4, 5, 6}).item() == 22);
    CHECK(tx::equal(v.value(), open{4, 5, 6}));
    tx::function const fails_while_traced{[&](auto x) {
        c.assign(x);
        if (c.rank() == 0) throw std::runtime_error("stop");
        return x;
    }};
    CHECK_THROWS_AS(fails_while_traced(1.0f), std::runtime_error);
    CHECK(c.item() == 22);
}

TEST_CASE("variables: into, and values that others hold") {
    tx::variable<float, shape<3>> v{vec{1, 2, 3}};
    tx::function const f{[&](auto x) {
        v.assign_add(x);
        return v * 1.0f;
    }};
    vec out;
    f.into(out, vec{1, 1, 1});
    CHECK(tx::equal(out, vec{2, 3, 4}));
    tx::variable<float, shape<100>> large{tx::ones<float>(shape<100>{})};
    auto const before = large.value();
    tx::function const g{[&](auto x) {
        large.assign(large * x);
        return large.value();
    }};
    auto const first = g(2.0f), second = g(3.0f), third = g(4.0f);
    CHECK(before(99) == 1);
    CHECK(first(99) == 2);
    CHECK(second(99) == 6);
    CHECK(third(99) == 24);
    CHECK(large(99) == 24);
}

TEST_CASE("variables: functions that run eagerly") {
    single_variable c{1.0f};
    counter own;
    tx::function const f{[&](auto x) {
        c.assign_add(x);
        return c * c.item();
    }};
    tx::function const refers{std::ref(own)};
    tx::run_eagerly(true);
    CHECK(f(2.0f).item() == 9);
    CHECK(c.item() == 3);
    CHECK(refers(2.0f).item() == 4);
    tx::run_eagerly(false);
    CHECK(own.c.item() == 2);
}

TEST_CASE("variables: branches assign, whichever is taken") {
    single_variable c{1.0f}, d{10.0f};
    tx::function const f{[&](auto x) {
        auto const y = tx::cond(
            x > 0,
            [&] {
                c.assign_add(x);
                c.assign(c * 2.0f);
                return c + d;
            },
            [&] {
                d.assign(c + x);
                return d.value();
            });
        return std::tuple(y, c.value(), d * 1.0f);
    }};
    auto const [y, c1, d1] = f(2.0f);
    CHECK(y.item() == 16);
    CHECK(c.item() == 6);
    CHECK(c1.item() == 6);
    CHECK(d1.item() == 10);
    CHECK(d.item() == 10);
    CHECK(std::get<0>(f(-2.0f)).item() == 4);
    CHECK(c.item() == 6);
    CHECK(d.item() == 4);
    tx::function const nested{[&](auto x) {
        single_variable local{x};
        tx::cond(
            x > 0,
            [&] {
                tx::cond(
                    x > 5, [&] { c.assign(x * 10.0f), local.assign_add(1.0f); }, [&] { d.assign(x), local.assign(c.value()); });
                single_variable inner{local.value()};
                inner.assign_add(100.0f);
                local.assign(inner.value());
            },
            [] {});
        return local.value();
    }};
    CHECK(nested(6.0f).item() == 107);
    CHECK(c.item() == 60);
    CHECK(nested(3.0f).item() == 160);
    CHECK(d.item() == 3);
    CHECK(nested(-1.0f).item() == -1);
    CHECK(c.item() == 60);
}

TEST_CASE("variables: loops assign in each iteration") {
    single_variable c{1.0f};
    tx::variable<float, shape<3>> v{vec{1, 2, 3}};
    tx::function const f{[&](auto x) {
        auto const before = c.value();
        auto const sum = tx::fori_loop(
            0, 4,
            [&](auto, auto s) {
                c.assign_add(x + before * 0.0f);
                v.assign(v * 2.0f);
                return s + c + before;
            },
            tx::tensor<float, shape<>>(0.0f) + x * 0.0f);
        return std::tuple(sum, before);
    }};
    auto const [sum, before] = f(2.0f);
    CHECK(before.item() == 1);
    CHECK(sum.item() == 3 + 5 + 7 + 9 + 4);
    CHECK(c.item() == 9);
    CHECK(tx::equal(v.value(), vec{16, 32, 48}));
    tx::function const until{[&](auto x) {
        return tx::while_loop([&](auto) { return c < 100; },
                              [&](auto n) {
                                  tx::cond(x > 0, [&] { c.assign(c * 2.0f); }, [&] { c.assign(c * 3.0f); });
                                  return n + 1.0f;
                              },
                              x);
    }};
    CHECK(until(0.5f).item() == 4.5f);
    CHECK(c.item() == 144);
    c.assign(2.0f);
    CHECK(until(-0.5f).item() == 3.5f);
    CHECK(c.item() == 162);
    tx::function const scanned{[&](auto xs) {
        auto const [carry, ys] = tx::scan(
            [&](auto k, auto x) {
                c.assign(x - c);
                return std::pair(k + c, c * 1.0f);
            },
            tx::sum(xs) * 0.0f, xs);
        return std::tuple(carry, ys);
    }};
    auto const [carry, ys] = scanned(vec{200, 300, 400});
    CHECK(tx::equal(ys, vec{38, 262, 138}));
    CHECK(carry.item() == 438);
    CHECK(c.item() == 138);
    tx::function const asks{
        [&](auto x) { return tx::while_loop([&](auto k) { return c.assign(x), k < 3; }, [](auto k) { return k + 1.0f; }, x); }};
    CHECK(message_of<tx::trace_error>([&] { asks(1.0f); }).find("tx: while_loop: the condition must not assign") == 0);
}

TEST_CASE("variables: derivatives pass through what a call assigns, and vmap says that it can't") {
    single_variable c{3.0f};
    tx::function const f{tx::value_and_grad([&](auto x) {
        c.assign(c * x);
        return c * x;
    })};
    auto const [value, slope] = f(2.0f);
    CHECK(value.item() == 12);
    CHECK(slope.item() == 12);
    CHECK(c.item() == 6);
    tx::function const many{tx::vmap([&](auto x) {
        c.assign(x);
        return x;
    })};
    CHECK(message_of<tx::trace_error>([&] { many(vec{1, 2, 3}); }).find("tx: vmap:") == 0);
    CHECK(c.item() == 6);
}

TEST_CASE("variables: swapped and moved while they are traced") {
    single_variable a{1.0f}, b{2.0f};
    tx::function const f{[&](auto x) {
        std::swap(a, b);
        return (a * 10.0f + b) * x;
    }};
    CHECK(f(1.0f).item() == 21);
    CHECK(f(1.0f).item() == 12);
    CHECK(a.item() == 1);
    CHECK(b.item() == 2);
    single_variable moved{std::move(a)};
    CHECK(moved.item() == 1);
}

TEST_CASE("variables: equal compares their values with tensors and with each other") {
    tx::variable<float, shape<3>> a{vec{1, 2, 3}}, b{vec{1, 2, 4}};
    tx::variable<double> open{tensor<double>(tensor<double, shape<3>>{1, 2, 3})};
    CHECK(tx::equal(a, vec{1, 2, 3}));
    CHECK_FALSE(tx::equal(vec{1, 2, 3}, b));
    CHECK_FALSE(tx::equal(a, b));
    CHECK(tx::equal(open, a));
    b.assign(a.value());
    CHECK(tx::equal(a, b));
    tx::variable<std::string, shape<2>> const names{tensor<std::string, shape<2>>{"ann", "bob"}};
    CHECK(tx::equal(names, tensor<std::string, shape<2>>{"ann", "bob"}));
    tx::function const traced{[&](auto x) { return tx::equal(a, b) ? x : -x; }};
    CHECK_THROWS_WITH_AS(traced(vec{1, 2, 3}), doctest::Contains("equal"), tx::trace_error);
}
