// This file tests that inside a traced callable a tape records what one outside would: what is computed after it was opened, from
// values that it watched by then, except while it is stopped.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

using vec = tx::tensor<double, tx::shape<2>>;

namespace {

vec const at{1, 3};
tx::variable weights{vec{2, 5}};

// On concrete tensors, by the compiler (where it can), and at run time: the same.
template <bool Static = true, class F> void gives(vec const& expected, F const& f) {
    CHECK(tx::equal(f(at), expected));
    if constexpr (Static) CHECK(tx::equal(tx::static_function{f}(at), expected));
    CHECK(tx::equal(tx::function{f, tx::options{.jit = tx::jit::never}}(at), expected));
}
template <class F> void throws(F const& f) {
    CHECK_THROWS_AS(static_cast<void>(f(at)), tx::tape_error);
    CHECK_THROWS_AS(static_cast<void>(tx::function{f}(at)), tx::tape_error);
}

} // namespace

TEST_CASE("tape in a trace: what was computed before it is a constant") {
    gives({-2, -6}, [](auto w) {
        auto const target = w * 2.0;
        tx::gradient_tape tape;
        tape.watch(w);
        return tape.gradient(tx::sum(tx::square(w - target)), w);
    });
    gives({2, 6}, [](auto w) { // the same op before and after
        auto const before = w * w;
        tx::gradient_tape tape;
        tape.watch(w);
        auto const y = w * w;
        return tape.gradient(tx::sum(y) + 0.0 * tx::sum(before), w);
    });
    throws([](auto w) {
        auto const before = w * w;
        tx::gradient_tape tape;
        tape.watch(w);
        return tape.gradient(tx::sum(before), w);
    });
    gives({1, 1.0 / 3}, [](auto w) { // w / w by way of 1 / w
        auto const inverse = 1.0 / w;
        tx::gradient_tape tape;
        tape.watch(w);
        return tape.gradient(w * inverse, w);
    });
}
TEST_CASE("tape in a trace: what was computed before a value was watched") {
    gives({2, 6}, [](auto w) {
        tx::gradient_tape tape;
        auto const a = w * 2.0;
        tape.watch(w);
        return tape.gradient(tx::sum(a * w), w);
    });
    gives({3 + 1, 9 + 1}, [](auto w) {
        tx::gradient_tape tape;
        tape.watch(w);
        auto const c = w * 3.0;
        tape.watch(c);
        auto const [dw, dc] = tape.gradient(tx::sum(c + w), std::tuple(w, c));
        return dw + (dc - 1.0) + (w - 1.0) * 3.0;
    });
}
TEST_CASE("tape in a trace: variables are watched when it is opened") {
    gives<false>({2, 5}, [](auto w) {
        auto const before = weights * w;
        tx::gradient_tape tape;
        return tape.gradient(tx::sum(before * weights * w), weights) / (w * w);
    });
}
TEST_CASE("tape in a trace: with respect to a value on the way") {
    gives({2, 18}, [](auto w) {
        tx::gradient_tape tape;
        tape.watch(w);
        auto const y = w * w;
        return tape.gradient(tx::sum(y * y), y);
    });
    gives<false>({4, 30}, [](auto w) {
        tx::gradient_tape tape;
        auto const y = weights * w;
        return tape.gradient(tx::sum(y * y), y);
    });
    throws([](auto w) { // not on the way
        auto const z = w * 2.0;
        tx::gradient_tape tape;
        tape.watch(w);
        return tape.gradient(tx::sum(w * w), z);
    });
}
TEST_CASE("tape in a trace: stopped and gone on") {
    gives<false>({1, 1}, [](auto w) {
        tx::gradient_tape tape;
        tape.watch(w);
        auto y = w * w;
        {
            auto const stopped = tape.stop_recording();
            y = y * 3.0;
        }
        return tape.gradient(tx::sum(y + w), w);
    });
    gives<false>({4, 12}, [](auto w) {
        tx::gradient_tape tape;
        tape.watch(w);
        {
            auto const stopped = tape.stop_recording();
            static_cast<void>(w * w);
        }
        return tape.gradient(tx::sum(w * w) * 2.0, w);
    });
    tx::function const twice{[](auto w) {
        tx::gradient_tape tape;
        auto const stopped = tape.stop_recording();
        auto const again = tape.stop_recording();
        return w;
    }};
    CHECK_THROWS_WITH_AS(static_cast<void>(twice(at)), doctest::Contains("the tape must be recording"), tx::tape_error);
}
TEST_CASE("tape in a trace: reset") {
    gives<false>({2, 6}, [](auto w) {
        tx::gradient_tape tape;
        tape.watch(w);
        auto const a = w * 2.0;
        tape.reset();
        tape.watch(w);
        return tape.gradient(tx::sum(a * w), w);
    });
}
TEST_CASE("tape in a trace: a loop of steps, and one tape within another") {
    gives({1 + 1.0 / 32 * 0, 1 + 2.0 / 32}, [](auto w) {
        for (int i = 0; i < 5; ++i) {
            tx::gradient_tape tape;
            tape.watch(w);
            auto const loss = tx::sum(tx::square(w - 1.0));
            auto const step = tape.gradient(loss, w);
            w = w - 0.25 * step;
        }
        return w;
    });
    gives({6 - 2, 54 - 6}, [](auto w) { // the inner tape takes the outer one's product for a constant, the outer one doesn't
        tx::gradient_tape outer;
        outer.watch(w);
        auto const product = w * w;
        tx::gradient_tape inner;
        inner.watch(w);
        auto const first = inner.gradient(tx::sum(w * product * w), w); // 2 w^3
        return outer.gradient(tx::sum(first), w) - 2.0 * w;             // 6 w^2
    });
}
TEST_CASE("forward accumulator in a trace: what was computed before it is a constant") {
    gives<false>({2, 18}, [](auto w) {
        auto const before = w * 2.0;
        tx::forward_accumulator sum{{w, w}};
        return sum.jvp(before * w);
    });
}
