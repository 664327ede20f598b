// This file tests gradient tapes with functions: calls of traced callables, and users' derivatives.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <functional>

using tx::dyn;
using tx::shape;
using tx::tensor;
using vec = tensor<double, shape<3>>;

namespace {

bool same(auto const& a, auto const& b) { return tx::equal(a, b); }
template <class A, class B> void check_close(A const& a, B const& b, double tolerance = 1e-12) {
    REQUIRE(a.dimensions() == b.dimensions());
    for (std::int64_t i = 0; i < a.size(); ++i) CHECK(a.data()[i] == doctest::Approx(b.data()[i]).epsilon(tolerance));
}

vec weights{1, 2, 3};
struct layer {
    vec w{1, 2, 3};
    constexpr auto operator()(auto x) const { return tx::tanh(x * w); }
};
double derivative_of_tanh(double x) { return 1 - std::tanh(x) * std::tanh(x); }

} // namespace

TEST_CASE("tape: calls of functions are part of the record") {
    vec const x{1, 2, 3};
    tx::gradient_tape tape{{.persistent = true}};
    tape.watch(x);
    SUBCASE("traced by the compiler") {
        tx::static_function f{[](auto a, auto b) { return std::pair(a * a * b, tx::sum(b)); }};
        auto const [y, s] = f(x, vec{1, 10, 100});
        CHECK(same(tape.gradient(y, x), vec{2, 40, 600}));
        CHECK(!tape.gradient(s, x, tx::unconnected::none));
        CHECK(f.tracing_count() == 1);
    }
    SUBCASE("into an existing result, also over an argument") {
        tx::function f{[](auto a) { return a * a; }};
        vec y;
        f.into(y, x);
        CHECK(same(tape.gradient(y, x), vec{2, 4, 6}));
        vec in_place = x;
        f.into(in_place, in_place);
        f.into(in_place, in_place);
        CHECK(same(in_place, vec{1, 16, 81}));
        CHECK(same(tape.gradient(in_place, x), vec{4, 32, 108}));
    }
    SUBCASE("traced at run time, with scalars and open shapes") {
        double factor = 5;
        tx::function f{[factor](auto a, auto n) { return tx::sum(a * a) * n * factor; }};
        CHECK(same(tape.gradient(f(x, 2), x), vec{20, 40, 60}));
        tensor<double, shape<dyn>> const open = x;
        CHECK(same(tape.gradient(f(open, 2.0), x), vec{20, 40, 60}));
        tensor<double> const any = x;
        CHECK(same(tape.gradient(f(any, 2), x), vec{20, 40, 60}));
    }
    SUBCASE("tensors that they capture") {
        tape.watch(weights);
        tx::static_function f{[](auto a) { return a * weights; }};
        auto const [dx, dw] = tape.gradient(f(x) * f(x), std::tuple(x, weights));
        CHECK(same(dx, vec{2, 16, 54}));
        CHECK(same(dw, vec{2, 16, 54}));
    }
    SUBCASE("tensors of a functor") {
        layer l;
        tape.watch(l);
        tx::function f{std::ref(l)};
        auto const d = tape.gradient(f(x), l);
        check_close(d.w, vec{derivative_of_tanh(1), 2 * derivative_of_tanh(4), 3 * derivative_of_tanh(9)}, 1e-9);
        layer const again = tape.gradient(l(x), l);
        check_close(again.w, d.w, 1e-12);
    }
    SUBCASE("transforms") {
        auto const slope = tx::grad([](auto a) { return tx::sum(a * a * a); })(x);
        CHECK(same(slope, vec{3, 12, 27}));
        CHECK(same(tape.gradient(slope, x), vec{6, 12, 18}));
    }
}

TEST_CASE("tape: derivatives that users give") {
    vec const x{1, 2, 3};
    tx::gradient_tape outer{{.persistent = true}}, tape{{.persistent = true}};
    outer.watch(x);
    tape.watch(x);
    auto const f = tx::custom_gradient([](auto a) { return tx::exp(a); }, [](auto a, auto g) { return 100 * a * g; });
    SUBCASE("called directly") {
        auto const dy = tape.gradient(f(x) * 2, x);
        CHECK(same(dy, vec{200, 400, 600}));
        CHECK(same(outer.gradient(dy, x), vec{200, 200, 200}));
    }
    SUBCASE("within functions") {
        tx::function g{[](auto a) { return tx::sum(tx::custom_gradient([](auto b) { return tx::exp(b); }, [](auto b, auto h) { return 100 * b * h; })(a * 1)); }};
        CHECK(same(tape.gradient(g(x), x), vec{100, 200, 300}));
        double one = 1;
        tx::function late{[&one, f](auto a) { return f(a * one); }};
        CHECK(same(tape.gradient(late(x), x), vec{100, 200, 300}));
        CHECK(same(tape.gradient(late(tensor<double>(x)), x), vec{100, 200, 300}));
    }
    SUBCASE("as a function that the callable returns") {
        auto const h = tx::custom_gradient([](auto a) { return std::pair(tx::exp(a), [a](auto g) { return 100 * a * g; }); });
        CHECK(same(tape.gradient(h(x), x), vec{100, 200, 300}));
    }
    SUBCASE("forward: transposed") {
        auto const h = tx::custom_jvp([](auto a) { return tx::exp(a); }, [](auto a, auto da) { return std::pair(tx::exp(a), 100 * a * da); });
        CHECK(same(tape.gradient(h(x), x), vec{100, 200, 300}));
    }
}
