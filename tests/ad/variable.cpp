// This file tests variables, tensors that change: where tensors are used, and watched by tapes.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <functional>
#include <sstream>
#include <utility>
#include <vector>

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
    CHECK(copy.number() != v.number());
    CHECK(weights(v).number() != v.number());
    std::uint64_t const number = v.number();
    CHECK(weights(std::move(v)).number() == number);
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

TEST_CASE("variable: a copy is a variable of its own") {
    weights online{{1, 1, 1}, {.name = "online"}};
    weights target = online;
    online.assign(vec{5, 5, 5});
    CHECK(same(target.value(), vec{1, 1, 1}));
    SUBCASE("to a tape") {
        tx::gradient_tape tape{{.persistent = true}};
        auto const y = online * online + 10 * target;
        CHECK(same(tape.gradient(y, online), vec{10, 10, 10}));
        CHECK(same(tape.gradient(y, target), vec{10, 10, 10}));
        CHECK(tape.watched_variables().size() == 2);
        weights const unread = online;
        CHECK(!tape.gradient(y, unread, tx::unconnected::none));
    }
    SUBCASE("but in a tuple it is the one that is meant") {
        tx::gradient_tape tape{{.persistent = true}};
        auto const y = online * online + 10 * target;
        auto const [to_online, to_both] = tape.gradient(y, std::tuple(online, std::pair(target, online)));
        CHECK(same(to_online, vec{10, 10, 10}));
        CHECK(same(to_both.first, vec{10, 10, 10}));
        CHECK(same(to_both.second, vec{10, 10, 10}));
        weights fixed{{1, 2, 3}, {.trainable = false}};
        tape.watch(std::tuple(fixed));
        CHECK(same(tape.gradient(fixed * fixed, fixed), vec{2, 4, 6}));
    }
    SUBCASE("in functors") {
        layer const original;
        layer copied = original;
        tx::function f{std::ref(copied)};
        tx::function own{original};
        vec const x{1, 1, 1};
        tx::gradient_tape tape{{.persistent = true}};
        auto const y = tx::sum(original.w * 100) + tx::sum(f(x)) + tx::sum(own(x));
        CHECK(same(tape.gradient(y, original.w), vec{100, 100, 100}));
        CHECK(same(tape.gradient(y, copied.w), x));
        CHECK(same(tape.gradient(y, own.traced_callable().w), x));
    }
    SUBCASE("moved, it is the same one") {
        std::vector<weights> several;
        tx::gradient_tape tape{{.persistent = true}};
        std::vector<std::uint64_t> numbers;
        for (int k = 0; k < 5; ++k) {
            several.push_back(weights{{1, 2, 3}});
            numbers.push_back(several.back().number());
        }
        auto const y = several[0] * several[0];
        for (std::size_t k = 0; k < 5; ++k) CHECK(several[k].number() == numbers[k]);
        several.reserve(100);
        CHECK(same(tape.gradient(y, several[0]), vec{2, 4, 6}));
    }
}

TEST_CASE("variable: what moves stays the same variable") {
    weights a{{1, 2, 3}, {.name = "a"}}, b{{4, 5, 6}, {.trainable = false, .name = "b"}};
    {
        tx::gradient_tape tape;
        tape.watch(b);
        auto const y = tx::sum(a * a * b);
        std::swap(a, b);
        auto const [da, db] = tape.gradient(y, std::tie(b, a));
        CHECK(same(da, vec{8, 20, 36}));
        CHECK(same(db, vec{1, 4, 9}));
    }
    CHECK(same(a.value(), vec{4, 5, 6}));
    CHECK(a.name() == "b");
    CHECK(!a.trainable());
    std::vector<weights> all{a, b};
    tx::gradient_tape tape;
    auto const y = tx::sum(all[1] * all[1]);
    all.erase(all.begin());
    CHECK(same(tape.gradient(y, all[0]), vec{2, 4, 6}));
    auto const number = all[0].number();
    all[0] = weights{{7, 8, 9}, {.name = "result"}}; // a value, as of a call
    CHECK(all[0].number() == number);
    CHECK(all[0].name() == "a");
}
TEST_CASE("variable: copies and variables that a traced callable makes belong to the trace") {
    weights v{{1, 2, 3}};
    tx::function f{[&v](auto x) {
        weights const copy = v, fresh{{1, 1, 1}};
        return x * copy + copy * copy + fresh;
    }};
    vec const x{1, 1, 1};
    CHECK(same(f(x), vec{3, 7, 13}));
    v.assign(vec{2, 2, 2});
    CHECK(same(f(x), vec{7, 7, 7}));
    tx::gradient_tape tape;
    CHECK(same(tape.gradient(f(x), v), vec{5, 5, 5}));
    CHECK(f.tracing_count() == 1);
}

TEST_CASE("variable: a target of a tape that is a source too") {
    weights v{{1, 2, 3}}, fixed{{1, 2, 3}, {.trainable = false}};
    tx::gradient_tape tape{{.persistent = true}};
    CHECK(same(tape.gradient(v, v), vec{1, 1, 1}));
    CHECK(same(tape.gradient(std::tuple(v * 2, v), v), vec{3, 3, 3}));
    CHECK(same(tx::sum(tape.jacobian(v, v), tx::axis<0>), vec{1, 1, 1}));
    CHECK(!tape.gradient(fixed, fixed, tx::unconnected::none));
    tape.watch(fixed);
    CHECK(same(tape.gradient(fixed, fixed), vec{1, 1, 1}));
}

TEST_CASE("variable: which were watched is known after the only gradient of a tape") {
    weights v{{1, 2, 3}, {.name = "v"}};
    tx::gradient_tape tape;
    CHECK(same(tape.gradient(v * v, v), vec{2, 4, 6}));
    REQUIRE(tape.watched_variables().size() == 1);
    CHECK(tape.watched_variables()[0].name == "v");
    tape.reset();
    CHECK(tape.watched_variables().empty());
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
