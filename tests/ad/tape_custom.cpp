// This file tests users' derivatives under tapes and accumulators that see each other's derivatives.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <optional>

using tx::shape;
using tx::tensor;
using rank0 = tensor<double, shape<>>;

namespace {

constexpr auto cube = tx::custom_gradient([](auto x) { return x * x * x; }, [](auto x, auto g) { return g * x * x * 3.0; });
constexpr auto exponential = tx::custom_gradient([](auto x) { return tx::exp(x); }, [](auto x, auto g) { return g * tx::exp(x); });
// x squared, whose slope 2x is said to have the slope 100. (TensorFlow's guide, Advanced automatic differentiation: nested custom gradients)
constexpr auto square = tx::custom_gradient([](auto x) { return x * x; }, [](auto x, auto g) {
    return g * tx::custom_gradient([](auto z) { return 2.0 * z; }, [](auto, auto gg) { return gg * 100.0; })(x);
});
constexpr auto forward_square = tx::custom_jvp([](auto x) { return x * x; }, [](auto x, auto dx) {
    return std::pair(x * x, dx * tx::custom_gradient([](auto z) { return 2.0 * z; }, [](auto, auto gg) { return gg * 100.0; })(x));
});

rank0 const at = 2.0, one = 1.0;

// d(df(x)/dx)/dx, of which the inner derivative is gone before the outer one is asked for.
template <class F> double by_two_tapes(F const& f) {
    tx::gradient_tape outer;
    outer.watch(at);
    rank0 slope;
    {
        tx::gradient_tape inner;
        inner.watch(at);
        slope = inner.gradient(f(at), at);
    }
    return outer.gradient(slope, at).item();
}
template <class F> double by_one_tape(F const& f) {
    tx::gradient_tape tape{{.persistent = true}};
    tape.watch(at);
    return tape.gradient(tape.gradient(f(at), at), at).item();
}
template <class F> double by_accumulator_over_tape(F const& f) {
    tx::forward_accumulator acc{{at, one}};
    rank0 slope;
    {
        tx::gradient_tape tape;
        tape.watch(at);
        slope = tape.gradient(f(at), at);
    }
    return acc.jvp(slope).item();
}
template <class F> double by_tape_over_accumulator(F const& f) {
    tx::gradient_tape tape;
    tape.watch(at);
    rank0 slope;
    {
        tx::forward_accumulator acc{{at, one}};
        slope = acc.jvp(f(at));
    }
    return tape.gradient(slope, at).item();
}
template <class F> double by_accumulators(F const& f) {
    tx::forward_accumulator outer{{at, one}};
    rank0 slope;
    {
        tx::forward_accumulator inner{{at, one}};
        slope = inner.jvp(f(at));
    }
    return outer.jvp(slope).item();
}
template <class F> void check_second(F const& f, double expected) {
    CHECK(by_two_tapes(f) == doctest::Approx(expected));
    CHECK(by_one_tape(f) == doctest::Approx(expected));
    CHECK(by_accumulator_over_tape(f) == doctest::Approx(expected));
    CHECK(by_tape_over_accumulator(f) == doctest::Approx(expected));
    CHECK(by_accumulators(f) == doctest::Approx(expected));
    CHECK(tx::grad(tx::grad(f))(at).item() == doctest::Approx(expected));
}

} // namespace

TEST_CASE("tape: a derivative that a user gave, in a derivative of the second order") { check_second(cube, 12); }
TEST_CASE("tape: one that computes the value again, of a value between") {
    check_second([](auto x) { return exponential(x * x); }, std::exp(4.0) * (2 + 16)); // (exp(x²))'' = (2 + 4x²) exp(x²)
}
TEST_CASE("tape: a derivative of a derivative that a user gave (TensorFlow's 100)") { check_second(square, 100); }
TEST_CASE("tape: the same given in forward mode") { check_second(forward_square, 100); }
TEST_CASE("tape: rules of two calls, of a function") {
    // f = s(x) s(2x) with s' = 2x and s'' = 100: f'' = 100 s(2x) + 4 s'(x) s'(2x) + 400 s(x)
    check_second(tx::function{[](auto x) { return square(x) * square(2.0 * x); }}, 100 * 16 + 4 * 4 * 8 + 400 * 4);
    double const two = 2;
    check_second([two](auto x) { return square(x) * square(two * x); }, 100 * 16 + 4 * 4 * 8 + 400 * 4);
}
TEST_CASE("tape: a checkpoint that holds one") {
    check_second(tx::checkpoint([](auto x) { return square(x) * x; }), 100 * 2 + 2 * 4); // s''x + 2 s'
}
TEST_CASE("tape: three tapes") {
    tx::gradient_tape outer;
    outer.watch(at);
    std::optional<tx::gradient_tape> middle(std::in_place), inner(std::in_place);
    middle->watch(at), inner->watch(at);
    // y = s(x²): y' = s'(x²) 2x, y'' = 400x² + 2 s'(x²), y''' = 800x + 400x
    rank0 const first = inner->gradient(square(at * at), at);
    inner.reset();
    rank0 const second = middle->gradient(first, at);
    middle.reset();
    CHECK(first.item() == doctest::Approx(32));
    CHECK(second.item() == doctest::Approx(1616));
    CHECK(outer.gradient(second, at).item() == doctest::Approx(2400));
}
TEST_CASE("tape: marks of what is appended stay apart from those around it") {
    // The derivatives that the function takes are with respect to its own uses of x, those of the tape with respect to the tape's.
    tx::function f{[](auto x) { return tx::grad([](auto y) { return y * y * y; })(x) * x; }};
    check_second([&](auto const& x) { return f(x) * x + tx::grad([](auto y) { return y * y; })(x); }, 3 * 4 * 3 * 4.0); // (3x⁴ + 2x)''
}
