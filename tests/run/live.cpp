// This file tests tensors that are read at each run, in traces made at run time, also by ops and calls that have no other
// operands.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>
#include <messages.hpp>

#include <functional>

using tx::shape;
using tx::tensor;
using vec = tensor<float, shape<2>>;
using single = tensor<float, shape<>>;

namespace {

vec scale{1, 2};
tensor<float> any_scale{1, 2};
tx::variable<float, shape<2>> shared_weight{vec{1, 2}};

struct module {
    tx::variable<float, shape<2>> w{vec{1, 2}};
    constexpr auto operator()(auto x) const { return x * tx::sum(w * w); }
};
struct plain_module {
    vec w{1, 2};
    constexpr auto operator()(auto x) const { return x * tx::sum(w * w); }
};

// Calls f on x, changes `what`, calls it again: one trace gives both results.
template <class F, class X, class What> void check_live(F const& f, X const& x, What& what, vec const& before, vec const& after) {
    what = vec{1, 2};
    CHECK(tx::equal(f(x), before));
    what = vec{3, 4};
    CHECK(tx::equal(f(x), after));
    CHECK(f.tracing_count() == 1);
    what = vec{1, 2};
}

} // namespace

TEST_CASE("live: ops on variables alone are recorded, not computed while a callable is traced") {
    tx::variable<float, shape<2>> v{vec{1, 2}};
    vec const zeros{0, 0}, ones{1, 1};
    check_live(tx::function{[&v](auto x) { return x + v * v; }}, zeros, v, {1, 4}, {9, 16});
    check_live(tx::function{[&v](auto x) { return x + tx::sum(v); }}, zeros, v, {3, 3}, {7, 7});
    check_live(tx::function{[&v](auto x) { return x * tx::maximum(-v, tx::flip(v)); }}, ones, v, {2, 1}, {4, 3});
    check_live(tx::function{[&v](auto x) { return x + tx::stack(tx::axis<0>, tx::sum(v), tx::max(v)); }}, zeros, v, {3, 2}, {7, 4});
    check_live(tx::function{[&v](auto x) { return x + tx::where(v > 1, v, tx::zeros_like(v)); }}, zeros, v, {0, 2}, {3, 4});
    check_live(tx::function{[&v](auto x) { return x + tx::einsum<"i,i->">(v, v); }}, zeros, v, {5, 5}, {25, 25});
    check_live(tx::function{[&v](auto x) { return x + tx::take(v, tensor<int, shape<2>>{1, 0}); }}, zeros, v, {2, 1}, {4, 3});
    SUBCASE("its value, in a tensor of its own") {
        check_live(tx::function{[&v](auto x) { return x + v.value(); }}, zeros, v, {1, 2}, {3, 4});
        check_live(tx::function{[&v](auto x) {
            vec const now = v;
            return x + now * now;
        }}, zeros, v, {1, 4}, {9, 16});
    }
    SUBCASE("of open rank") {
        tx::variable<float> any{tensor<float>{1, 2}};
        tx::function f{[&any](auto x) { return x + any * any; }};
        CHECK(tx::equal(f(zeros), tensor<float>{1, 4}));
        any = tensor<float>{3, 4};
        CHECK(tx::equal(f(zeros), tensor<float>{9, 16}));
    }
    SUBCASE("alone in a callable without arguments") {
        tx::function f{[&v] { return tx::sum(v * v); }};
        CHECK(f().item() == 5);
        v = vec{3, 4};
        CHECK(f().item() == 25);
    }
}

TEST_CASE("live: ops on tensors with static storage alone") {
    static vec local{1, 2};
    int unused = 0;
    vec const zeros{0, 0};
    check_live(tx::function{[](auto x) { return x + tx::sum(scale); }}, zeros, scale, {3, 3}, {7, 7});
    check_live(tx::function{[&unused](auto x) { return static_cast<void>(unused), x + scale * scale; }}, zeros, scale, {1, 4}, {9, 16});
    check_live(tx::function{[&unused](auto x) { return static_cast<void>(unused), x + tx::exp(local) * 0 + local * 2; }}, zeros, local, {2, 4}, {6, 8});
    check_live(tx::function{[](auto x) { return x + shared_weight * shared_weight; }}, zeros, shared_weight, {1, 4}, {9, 16});
    tx::function f{[](auto x) { return x + any_scale * any_scale; }};
    CHECK(tx::equal(f(zeros), tensor<float>{1, 4}));
    any_scale = {3, 4};
    CHECK(tx::equal(f(zeros), tensor<float>{9, 16}));
}

TEST_CASE("live: functions called inside with what is live alone") {
    tx::variable<float, shape<2>> v{vec{1, 2}};
    tx::function square{[](auto x) { return x * x; }};
    tx::function of_variable{[&v](auto x) { return x * tx::sum(v); }};
    vec const zeros{0, 0}, ones{1, 1};
    check_live(tx::function{[&](auto x) { return x + square(v); }}, zeros, v, {1, 4}, {9, 16});
    check_live(tx::function{[&](auto x) { return x + square(scale); }}, zeros, scale, {1, 4}, {9, 16});
    check_live(tx::function{[&](auto x) { return x + square(v.value() + 1); }}, zeros, v, {4, 9}, {16, 25});
    check_live(tx::function{[&](auto x) { return x + of_variable(vec{1, 2}); }}, zeros, v, {3, 6}, {7, 14});
    SUBCASE("functions of functions") {
        tx::function outer{[&](auto x) { return x + of_variable(ones); }};
        check_live(tx::function{[&](auto x) { return outer(ones) - x; }}, ones, v, {3, 3}, {7, 7});
    }
}

TEST_CASE("live: modules called inside a trace") {
    module m;
    vec const ones{1, 1};
    check_live(tx::function{[&m](auto x) { return m(x); }}, ones, m.w, {5, 5}, {25, 25});
    check_live(tx::function{[&m](auto x) { return x * m(vec{1, 1}); }}, ones, m.w, {5, 5}, {25, 25});
    check_live(tx::function{std::ref(m)}, ones, m.w, {5, 5}, {25, 25});
    SUBCASE("a function that refers to one") {
        tx::function inner{std::ref(m)};
        check_live(tx::function{[&](auto x) { return inner(x); }}, ones, m.w, {5, 5}, {25, 25});
        check_live(tx::function{[&](auto x) { return x * inner(vec{1, 1}); }}, ones, m.w, {5, 5}, {25, 25});
        plain_module p;
        tx::function to_plain{std::ref(p)};
        check_live(tx::function{[&](auto x) { return x * to_plain(vec{1, 1}); }}, ones, p.w, {5, 5}, {25, 25});
        check_live(tx::function{[&](auto x) { return x * to_plain(scale) / scale; }}, ones, p.w, {5, 5}, {25, 25});
    }
    SUBCASE("a transform of one that is referred to") {
        plain_module p;
        auto const loss = [](auto const& y) { return tx::sum(y); };
        tx::function total{[&](auto x) { return loss(p(x)); }};
        auto const gradient = tx::jvp(std::ref(p));
        check_live(tx::function{[&](auto x) { return gradient(x, x).second; }}, ones, p.w, {5, 5}, {25, 25});
        check_live(tx::function{[&](auto x) { return x * gradient(vec{1, 1}, vec{1, 1}).second; }}, ones, p.w, {5, 5}, {25, 25});
        CHECK(total(ones).item() == 10);
    }
    SUBCASE("bound") {
        vec w{1, 2};
        auto const bound = tx::function{[](auto x, auto by) { return x * tx::sum(by * by); }}.bind(w);
        check_live(tx::function{[&](auto x) { return x * bound(vec{1, 1}); }}, ones, w, {5, 5}, {25, 25});
        check_live(tx::function{[&](auto x) { return bound(x); }}, ones, w, {5, 5}, {25, 25});
    }
}

TEST_CASE("live: derivatives of callables with ops on variables alone") {
    tx::variable<float, shape<2>> v{vec{1, 2}};
    vec const ones{1, 1};
    auto const loss = [&v](auto x) { return tx::sum(x * tx::sum(v * v)); };
    auto const gradient = tx::grad(loss);
    CHECK(tx::equal(gradient(ones), vec{5, 5}));
    v = vec{3, 4};
    CHECK(tx::equal(gradient(ones), vec{25, 25}));
    v = vec{1, 2};
    check_live(tx::function{gradient}, ones, v, {5, 5}, {25, 25});
    check_live(tx::function{[&](auto x) { return gradient(vec{1, 1}) * x; }}, ones, v, {5, 5}, {25, 25});
    check_live(tx::function{tx::vmap([&v](auto x) { return x * tx::sum(v * v); })}, ones, v, {5, 5}, {25, 25});
    SUBCASE("by a tape") {
        tx::function f{[&v](auto x) { return tx::sum(x * tx::exp(v) + v * v + v.value()); }};
        for (float const at : {1.f, 0.f}) {
            v = vec{at, at};
            tx::gradient_tape tape;
            auto const y = f(ones);
            vec const slope = tape.gradient(y, v), want = tx::exp(vec{at, at}) + 2 * at + 1;
            CHECK(slope(0) == doctest::Approx(want(0)));
            CHECK(slope(1) == doctest::Approx(want(1)));
        }
        CHECK(f.tracing_count() == 1);
    }
    SUBCASE("by a tape, of a custom derivative that reads a variable alone") {
        tx::function f{[&v](auto x) {
            auto const g = tx::custom_gradient([](auto y) { return y * 2; }, [](auto y, auto ybar) { return ybar * y * tx::sum(scale * scale); });
            return tx::sum(g(x) * tx::sum(v));
        }};
        for (vec const& now : {vec{1, 2}, vec{3, 4}}) {
            scale = v = now;
            tx::gradient_tape tape;
            vec const x{1, 2};
            tape.watch(x);
            auto const y = f(x);
            CHECK(tx::equal(tape.gradient(y, x), x * tx::sum(now) * tx::sum(now * now)));
        }
        scale = vec{1, 2};
    }
}

TEST_CASE("live: numbers of a variable are not to be had while a callable is traced") {
    tx::variable<float, shape<2>> v{vec{1, 2}};
    tx::variable<float, shape<>> step{single(2)};
    tx::function by_item{[&](auto x) { return x * step.item(); }};
    tx::function by_element{[&](auto x) { return x * v(1); }};
    tx::variable<float, shape<>> const other{single(5)};
    tx::function given{[&](auto x) {
        step = other;
        return x * step;
    }};
    vec out;
    tx::function square{[](auto x) { return x * x; }};
    tx::function into{[&](auto x) {
        square.into(out, v);
        return x + out;
    }};
    vec const ones{1, 1};
    CHECK(message_of<tx::trace_error>([&] { by_item(ones); }).find("tx: item:") == 0);
    CHECK(message_of<tx::trace_error>([&] { by_element(ones); }).find("tx: variable:") == 0);
    CHECK(message_of<tx::trace_error>([&] { into(ones); }).find("tx: into:") == 0);
    CHECK(step.item() == 2);
    CHECK(tx::equal(given(ones), vec{5, 5}));
    CHECK(step.item() == 5);
    step = single(2);
    CHECK(by_item.tracing_count() == 0);
    SUBCASE("but while functions run eagerly") {
        tx::run_eagerly(true);
        CHECK(tx::equal(by_item(ones), vec{2, 2}));
        CHECK(tx::equal(by_element(ones), vec{2, 2}));
        step = single(3);
        CHECK(tx::equal(by_item(ones), vec{3, 3}));
        CHECK(tx::equal(given(ones), vec{5, 5}));
        tx::run_eagerly(false);
    }
}

TEST_CASE("live: what isn't live is computed as before, and a trace that throws leaves none behind") {
    vec const ones{1, 1};
    vec local{1, 2};
    tx::variable<float, shape<2>> v{vec{1, 2}};
    tx::function kept{[&local](auto x) {
        float const now = tx::sum(local * local).item();
        return x * now;
    }};
    CHECK(tx::equal(kept(ones), vec{5, 5}));
    tx::function fails{[](auto x) -> decltype(x) { throw 1; }};
    CHECK_THROWS_AS(fails(ones), int);
    CHECK(tx::sum(v * v).item() == 5);
}

TEST_CASE("live: extents of a tensor with static storage, and what is made like it") {
    static tensor<float, shape<tx::dyn>> table;
    using out = tensor<float, shape<tx::dyn>>;
    float const one = 1;
    tx::function likes{[](auto x) { return tx::sum(x) + tx::ones_like(table) + tx::full_like(table, 2) + tx::zeros_like(table); }};
    tx::function extents{[](auto x) { return tx::sum(x) / tx::size(table) + tx::extent<0>(table); }};
    tx::function captured{[one](auto x) { return tx::sum(x) * one / tx::extent<-1>(table) + tx::ones_like(table); }};
    vec const x{1, 5};
    for (int again = 0; again < 2; ++again) {
        table = {1, 2, 3};
        CHECK(tx::equal(likes(x), out{9, 9, 9}));
        CHECK(extents(x).item() == 5);
        CHECK(tx::equal(captured(x), out{3, 3, 3}));
        table = {1, 2};
        CHECK(tx::equal(likes(x), out{9, 9}));
        CHECK(extents(x).item() == 5);
        CHECK(tx::equal(captured(x), out{4, 4}));
    }
    CHECK(likes.tracing_count() == 1);
    CHECK(extents.tracing_count() == 2);
}
TEST_CASE("live: extents of a variable whose type leaves them open") {
    using open = tensor<float, shape<tx::dyn>>;
    vec const ones{1, 1};
    SUBCASE("of open rank") {
        tx::variable<float> v{tensor<float>{1, 2, 3}};
        tx::function f{[&v](auto x) { return x * static_cast<float>(tx::extent<0>(v)) + static_cast<float>(tx::size(v)); }};
        CHECK(f(ones)(0) == 6);
        v.assign(tensor<float>{1, 2, 3, 4, 5});
        CHECK(f(ones)(0) == 10);
        CHECK(tx::function{[&v](auto x) { return x * tx::sum(tx::ones_like(v)); }}(ones)(0) == 5);
    }
    SUBCASE("that had none when it was traced") {
        tx::variable<float, shape<tx::dyn>> v;
        tx::function f{[&v](auto x) { return x + static_cast<float>(tx::extent<0>(v)); }};
        CHECK(f(ones)(0) == 1);
        v.assign(open{1, 2, 3});
        CHECK(f(ones)(0) == 4);
    }
    SUBCASE("one that the callable makes is a value of the trace") {
        tx::function f{[](auto x) {
            tx::variable<float, shape<tx::dyn>> v{open(vec{1, 2})};
            return x * static_cast<float>(tx::size(v));
        }, tx::options{.jit = tx::jit::never}};
        CHECK(f(ones)(0) == 2);
    }
}
