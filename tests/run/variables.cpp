// Assignments to variables in callables that are traced.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <functional>

#include "messages.hpp"

using tx::shape;
using tx::tensor;
using scalar = tx::variable<float, shape<>>;
using vec = tensor<float, shape<3>>;

namespace {

scalar global{0.0f};

struct counter {
    scalar c{0.0f};
    constexpr auto operator()(auto x) {
        c.assign_add(x);
        return c * 2.0f;
    }
};

} // namespace

TEST_CASE("variables: a lambda that adds to what it refers to") {
    scalar c{0.0f};
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
    scalar c{1.0f};
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
