// This file tests that a user's derivative says nothing about what the callable captures: asking for that derivative is an error,
// all else works.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <cmath>

namespace {
using scalar = tx::tensor<double, tx::shape<>>;
using vector = tx::tensor<double, tx::shape<3>>;
scalar const at{3};
vector const along{1, 2, 3};
tx::variable anywhere{at};

// Its value, and a derivative that is not the true one, which shows that it was used.
constexpr auto closed_over = [](auto w, auto x) {
    return tx::custom_gradient([w](auto a) { return std::pair(tx::sum(a * w), [a](auto g) { return 7.0 * g + 0.0 * a; }); })(x) + w;
};
constexpr auto everywhere = tx::custom_gradient([](auto a) { return tx::sum(a * anywhere); }, [](auto a, auto g) { return 7.0 * g + 0.0 * a; });
constexpr auto pushed = tx::custom_jvp([](auto a) { return tx::sum(a * anywhere); }, [](auto a, auto da) { return std::pair(tx::sum(a), tx::sum(da)); });
constexpr char const* refusal = "tx: custom_gradient, custom_jvp: the callable must capture nothing that is differentiated for, because its derivative "
                                "says nothing of that; pass it as an argument";
} // namespace

TEST_CASE("custom_gradient: a captured expr that is differentiated for") {
    CHECK_THROWS_WITH_AS(static_cast<void>(tx::grad(closed_over)(at, along)), refusal, tx::trace_error);
    CHECK_THROWS_WITH_AS(static_cast<void>(tx::jvp(closed_over)(at, along, at, along)), refusal, tx::trace_error);
    CHECK(tx::equal(tx::static_function{tx::grad<1>(closed_over)}(at, along), vector{7, 7, 7}));
    auto const along_x = tx::jvp([](auto x) { return closed_over(at, x); });
    CHECK(along_x(along, along).second.item() == 42);
}
TEST_CASE("custom_gradient: what was computed of an argument before is captured, too") {
    auto const f = [](auto x) {
        auto const h = tx::exp(x);
        return tx::custom_gradient([h](auto a) { return std::pair(a * h, [h](auto g) { return g * h; }); })(x);
    };
    CHECK_THROWS_WITH_AS(static_cast<void>(tx::grad(f)(at)), refusal, tx::trace_error);
    auto const g = [](auto x) {
        auto const h = tx::exp(x);
        return h * tx::custom_gradient([](auto a) { return tx::exp(a); }, [](auto, auto ybar) { return 0.0 * ybar; })(x);
    };
    double const e = std::exp(3.0);
    CHECK(tx::grad(g)(at).item() == doctest::Approx(e * e));
}
TEST_CASE("custom_gradient, custom_jvp: variables on a tape") {
    for (bool const second : {false, true}) {
        tx::gradient_tape tape{{.persistent = true}};
        tape.watch(along);
        auto const y = (second ? pushed(along) : everywhere(along)) + anywhere;
        CHECK_THROWS_WITH_AS(static_cast<void>(tape.gradient(y, anywhere)), refusal, tx::trace_error);
        CHECK(tx::equal(tape.gradient(y, along), second ? vector{1, 1, 1} : vector{7, 7, 7}));
    }
    tx::forward_accumulator sum{{anywhere, scalar{1}}};
    CHECK_THROWS_WITH_AS(static_cast<void>(sum.jvp(everywhere(along))), refusal, tx::trace_error);
    tx::function const traced{[](auto x) {
        tx::gradient_tape tape;
        return tape.gradient(everywhere(x), anywhere);
    }};
    CHECK_THROWS_WITH_AS(static_cast<void>(traced(along)), refusal, tx::trace_error);
}
TEST_CASE("custom_gradient: within a checkpoint, and for each of many examples") {
    auto const f = [](auto w, auto x) { return tx::checkpoint([w](auto a) { return closed_over(w, a); })(x); };
    CHECK_THROWS_WITH_AS(static_cast<void>(tx::grad(f)(at, along)), refusal, tx::trace_error);
    CHECK(tx::equal(tx::grad<1>(f)(at, along), vector{7, 7, 7}));
    auto const each = tx::vmap([](auto w) { return tx::grad([w](auto x) { return closed_over(w, x); })(along); });
    CHECK(each(along)(2, 1) == 7);
}
