// Variables: tensors that change, where tensors are used, and watched by tapes.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <functional>
#include <sstream>

using tx::shape;
using tx::tensor;
using rank0 = tensor<double, shape<>>;
using vec = tensor<double, shape<3>>;
using weights = tx::variable<double, shape<3>>;

namespace {

bool same(auto const& a, auto const& b) { return tx::equal(a, b); }

weights global_weights{vec{1, 2, 3}, {.name = "global"}};

struct layer {
    weights w{{1, 2, 3}, {.name = "w"}};
    tx::variable<double, shape<>> b{0.0, {.name = "b"}};
    constexpr auto operator()(auto x) const { return x * w + b; }
};

} // namespace

TEST_CASE("variable: a value that can be assigned") {
    weights v{{1, 2, 3}, {.trainable = false, .name = "v"}};
    CHECK(!v.trainable());
    CHECK(v.name() == "v");
    vec const before = v.value();
    v.assign(vec{4, 5, 6});
    CHECK(same(v.value(), vec{4, 5, 6}));
    CHECK(same(before, vec{1, 2, 3}));
    v.assign_add(vec{1, 1, 1}).assign_sub(2.0);
    CHECK(same(v.value(), vec{3, 4, 5}));
    v = vec{1, 1, 1};
    CHECK(v(2) == 1);
    CHECK(v.extents() == std::array{3});
    std::ostringstream out;
    out << v;
    CHECK(out.str() == "[1. 1. 1.]");
    weights copy = v;
    copy.assign(vec{0, 0, 0});
    CHECK(v(0) == 1);
    CHECK(weights(v).number() == v.number()); // a copy stands for the variable until it is assigned to
    CHECK(copy.number() != v.number());
    tx::variable deduced{vec{1, 2, 3}};
    static_assert(std::is_same_v<decltype(deduced), weights>);
    CHECK(deduced.trainable());
    CHECK(weights{}.value()(0) == 0);
}

TEST_CASE("variable: its shape stays") {
    tx::variable<double, shape<tx::dyn>> v{tensor<double, shape<tx::dyn>>{1, 2, 3}};
    try {
        v.assign(tensor<double, shape<tx::dyn>>{1, 2});
        CHECK(false);
    } catch (tx::shape_error const& e) {
        CHECK(std::string(e.what()) == "tx: variable: assign: the value must have the variable's shape (3,); given (2,)");
    }
    CHECK(v(2) == 3);
}

TEST_CASE("variable: usable where a tensor is") {
    weights v{{1, 2, 3}};
    CHECK(same(v * v + 1, vec{2, 5, 10}));
    CHECK(tx::sum(v).item() == 6);
    CHECK(same(vec{1, 1, 1} - v, vec{0, -1, -2}));
    tx::static_function f{[](auto a, auto b) { return a * b; }};
    CHECK(same(f(v, vec{2, 2, 2}), vec{2, 4, 6}));
    CHECK(same(f(vec{2, 2, 2}, vec{1, 2, 3}), vec{2, 4, 6}));
    CHECK(f.tracing_count() == 1);
}

TEST_CASE("variable: functions read it at each run") {
    vec const x{1, 1, 1};
    SUBCASE("at namespace scope, by the compiler's traces") {
        tx::static_function f{[](auto a) { return a * global_weights; }};
        CHECK(same(f(x), vec{1, 2, 3}));
        global_weights.assign(vec{3, 2, 1});
        CHECK(same(f(x), vec{3, 2, 1}));
        global_weights.assign(vec{1, 2, 3});
    }
    SUBCASE("captured by a lambda") {
        weights v{{1, 2, 3}};
        tx::function f{[&](auto a) { return a * v; }};
        CHECK(same(f(x), vec{1, 2, 3}));
        v.assign(vec{3, 2, 1});
        CHECK(same(f(x), vec{3, 2, 1}));
        CHECK(f.tracing_count() == 1);
    }
    SUBCASE("members of a functor, and bound") {
        layer l;
        tx::function f{std::ref(l)};
        static_assert(decltype(f)::is_static);
        l.b.assign(10.0);
        CHECK(same(f(x), vec{11, 12, 13}));
        auto const g = tx::function{[](auto a, auto w) { return a * w; }}.bind(l.w);
        l.w.assign(vec{5, 5, 5});
        CHECK(same(g(x), vec{5, 5, 5}));
    }
}

TEST_CASE("variable: tapes watch trainable ones by themselves") {
    weights v{{1, 2, 3}, {.name = "v"}};
    weights fixed{{1, 1, 1}, {.trainable = false, .name = "fixed"}};
    vec const constant = v.value();
    tx::gradient_tape tape{{.persistent = true}};
    auto const y = v * v * fixed;
    CHECK(same(tape.gradient(y, v), vec{2, 4, 6}));
    CHECK(!tape.gradient(y, fixed, tx::unconnected::none));
    REQUIRE(tape.watched_variables().size() == 1);
    CHECK(tape.watched_variables()[0].name == "v");
    CHECK(tape.watched_variables()[0].number == v.number());
    CHECK(same(tape.gradient(v.value() * 3, v), vec{3, 3, 3}));
    CHECK(same(tape.gradient(v * constant, v), vec{1, 2, 3})); // what was read before is no longer the variable
    tape.watch(fixed);
    CHECK(same(tape.gradient(v * fixed, fixed), vec{1, 2, 3}));
    CHECK(tape.watched_variables().size() == 2);
    tx::gradient_tape blind{{.watch_accessed_variables = false}};
    CHECK(!blind.gradient(v * 2, v, tx::unconnected::none));
}

TEST_CASE("variable: each value between assignments is read as the same variable") {
    weights v{{1, 2, 3}};
    tx::gradient_tape tape{{.persistent = true}};
    auto const y = v * v;
    v.assign(vec{10, 10, 10});
    auto const z = v * v;
    CHECK(same(tape.gradient(std::tuple(y, z), v), vec{22, 24, 26}));
    CHECK(same(tape.gradient(y, v), vec{2, 4, 6}));
    v.assign_sub(tape.gradient(z, v));
    CHECK(same(v.value(), vec{-10, -10, -10}));
}

TEST_CASE("variable: derivatives through functions") {
    vec const x{1, 2, 3};
    SUBCASE("arguments and captures") {
        weights v{{1, 2, 3}};
        tx::gradient_tape tape{{.persistent = true}};
        tx::static_function f{[](auto a, auto w) { return tx::sum(a * w * w * global_weights); }};
        auto const y = f(x, v);
        auto const [dv, dg] = tape.gradient(y, std::tuple(v, global_weights));
        CHECK(same(dg, vec{1, 8, 27}));
        CHECK(same(dv, vec{2, 16, 54}));
        tx::function g{[&](auto a) { return a * v; }};
        CHECK(same(tape.gradient(g(x), v), x));
        v.assign(vec{0, 0, 0});
        CHECK(same(tape.gradient(g(x) * v, v), vec{}));
    }
    SUBCASE("with respect to a struct of them") {
        auto const loss = [](auto const& l, auto const& a) { return tx::sum(l.w * l.w * a) + l.b; };
        CHECK(same(tx::grad(loss)(layer{}, x).w.value(), vec{2, 8, 18}));
        int traced = 0;
        auto const counted = tx::grad([&](auto const& l, auto const& a) {
            ++traced;
            return loss(l, a);
        })(layer{}, x);
        CHECK(traced > 0);
        CHECK(same(counted.w.value(), vec{2, 8, 18}));
        CHECK(counted.b.item() == 1);
    }
    SUBCASE("with respect to a struct of large ones") {
        struct model {
            tx::variable<float, shape<300>> w;
            tx::variable<float, shape<tx::dyn>> open{tensor<float, shape<tx::dyn>>{1, 2}};
            tx::variable<float> any{tensor<float>{3}};
        };
        auto const loss = [](auto const& m) { return tx::sum(m.w * 2.f) + tx::sum(m.open * m.open) + tx::sum(m.any); };
        auto const check = [](model const& slope) {
            CHECK(tx::equal(slope.w.value(), tx::full<float>(shape<300>{}, 2.f)));
            CHECK(tx::equal(slope.open.value(), tensor<float, shape<tx::dyn>>{2, 4}));
            CHECK(tx::equal(slope.any.value(), tensor<float>{1}));
        };
        check(tx::grad(loss)(model{}));
        check(tx::grad([&](auto const& m) { return loss(m); })(model{}));
        model into;
        tx::function const slope{tx::grad(loss)};
        for (int again = 0; again < 2; ++again) slope.into(into, model{});
        check(into);
    }
    SUBCASE("of members, in gradient descent") {
        layer l;
        tx::function loss{[](auto const& prediction) { return tx::sum(prediction * prediction); }};
        tx::function f{std::ref(l)};
        double last = 1e9;
        for (int step = 0; step < 20; ++step) {
            tx::gradient_tape tape;
            auto const error = loss(f(x));
            auto const [dw, db] = tape.gradient(error, std::tuple(l.w, l.b));
            l.w.assign_sub(0.01 * dw);
            l.b.assign_sub(0.01 * db);
            CHECK(error.item() < last);
            last = error.item();
        }
        CHECK(last < 40);
    }
}
