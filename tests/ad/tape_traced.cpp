// This file tests gradient tapes and forward accumulators inside callables that are traced, by the compiler and at run time, and
// called eagerly. Expected derivatives are closed forms.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <thread>

using tx::shape;
using tx::tensor;
using vec = tensor<double, shape<3>>;
using matrix = tensor<double, shape<3, 3>>;

namespace {

vec const at{1, 2, 3};
tx::variable weights{vec{2, 3, 4}};
tx::variable const fixed{vec{1, 1, 2}, {.trainable = false}};

// By the compiler, at run time, and run eagerly.
template <class F, class Check> void in_all(F const& f, Check const& check) {
    check(tx::static_function{f}(at));
    bool const nothing = false;
    tx::function const traced{[nothing, f](auto x) { return static_cast<void>(nothing), f(x); }};
    static_assert(!decltype(traced)::is_static);
    check(traced(at));
    tx::run_eagerly(true);
    check(traced(at));
    tx::run_eagerly(false);
}
auto gives(vec const& expected) {
    return [expected](auto const& result) { CHECK(tx::equal(result, expected)); };
}

} // namespace

TEST_CASE("tape in a trace: the gradient of what follows") {
    in_all([](auto x) {
        tx::gradient_tape tape;
        tape.watch(x);
        auto const y = x * x;
        return tape.gradient(y, x);
    }, gives({2, 4, 6}));
    in_all([](auto x) {
        auto const z = x * 2; // an intermediate value
        tx::gradient_tape tape;
        tape.watch(z);
        return tape.gradient(tx::sum(z * z * z), z);
    }, gives({12, 48, 108}));
}

TEST_CASE("tape in a trace: it is what tx::grad gives, and another function's part") {
    static constexpr tx::function slope{[](auto x) {
        tx::gradient_tape tape;
        tape.watch(x);
        return tape.gradient(tx::sum(tx::exp(x) * x), x);
    }};
    vec const by_tape = slope(at), by_grad = tx::grad([](auto x) { return tx::sum(tx::exp(x) * x); })(at);
    CHECK(tx::equal(by_tape, by_grad));
    in_all([](auto x) { return slope(x) - slope(x); }, gives({0, 0, 0}));
    // It is differentiated in turn: of (x + 1) exp(x), (x + 2) exp(x).
    vec const second = tx::grad([](auto x) { return tx::sum(slope(x)); })(at);
    for (int i = 0; i < 3; ++i) CHECK(second(i) == doctest::Approx(std::exp(at(i)) * (at(i) + 2)));
}

TEST_CASE("tape in a trace: trees of sources, targets, weights of their elements") {
    in_all([](auto x) {
        auto const y = x + 1;
        tx::gradient_tape tape;
        tape.watch(std::pair{x, y});
        auto const [dx, dy] = tape.gradient(std::tuple{x * y, y * y}, std::pair{x, y});
        return dx * 10 + dy;
    }, [](auto const& result) {
        // d(x (x + 1) + (x + 1)^2)/dx = 4x + 3; with respect to y = x + 1, x + 2y.
        CHECK(tx::equal(result, vec{70 + 5, 110 + 8, 150 + 11}));
    });
    in_all([](auto x) {
        tx::gradient_tape tape;
        tape.watch(x);
        return tape.gradient(x * x, x, x + 1);
    }, gives({4, 12, 24}));
}

TEST_CASE("tape in a trace: nested tapes, a persistent one") {
    in_all([](auto x) {
        tx::gradient_tape outer;
        outer.watch(x);
        auto const first = [&] {
            tx::gradient_tape inner;
            inner.watch(x);
            return inner.gradient(x * x * x, x);
        }();
        return outer.gradient(first, x);
    }, gives({6, 12, 18}));
    in_all([](auto x) {
        tx::gradient_tape tape{{.persistent = true}};
        tape.watch(x);
        auto const y = x * x;
        auto const z = y * y;
        return tape.gradient(z, x) + tape.gradient(y, x);
    }, gives({4 + 2, 32 + 4, 108 + 6}));
}

TEST_CASE("tape in a trace: jacobians") {
    in_all([](auto x) {
        tx::gradient_tape tape;
        tape.watch(x);
        return tape.jacobian(x * tx::sum(x), x); // x_i, and the sum on the diagonal
    }, [](auto const& result) {
        static_assert(std::is_same_v<std::remove_cvref_t<decltype(result)>, matrix>);
        CHECK(tx::equal(result, matrix{{7, 1, 1}, {2, 8, 2}, {3, 3, 9}}));
    });
    in_all([](auto x) {
        tx::gradient_tape tape;
        auto const column = tx::expand_dims<1>(x);
        tape.watch(column);
        auto const rows = tx::concat<1>(column * column, column);
        return tx::sum(tx::sum(tape.batch_jacobian(rows, column), tx::axis<2>), tx::axis<1>);
    }, gives({3, 5, 7}));
}

TEST_CASE("tape in a trace: extents that types leave open") {
    auto const slope = [](auto x) {
        tx::gradient_tape tape;
        tape.watch(x);
        return tape.gradient(tx::sum(x * x * x), x);
    };
    tensor<double, shape<tx::dyn>> const row = at;
    CHECK(tx::equal(tx::static_function{slope}(row), vec{3, 12, 27}));
    CHECK(tx::equal(tx::function{slope}(tensor<double>(at)), vec{3, 12, 27}));
    tx::function const rows{[](auto x) {
        tx::gradient_tape tape;
        tape.watch(x);
        return tape.jacobian(x * x, x);
    }};
    CHECK(tx::equal(rows(tensor<double>(at)), matrix{{2, 0, 0}, {0, 4, 0}, {0, 0, 6}}));
    CHECK(tx::equal(rows(row), matrix{{2, 0, 0}, {0, 4, 0}, {0, 0, 6}}));
}

TEST_CASE("tape in a trace: variables") {
    auto const slope = [](auto x) {
        tx::gradient_tape tape;
        tape.watch(weights, fixed);
        auto const [dw, dv] = tape.gradient(tx::sum(x * weights * weights * fixed), std::tie(weights, fixed)); // a tuple of copies would be read
        return dw * 100 + dv;
    };
    in_all(slope, gives({400 + 4, 1200 + 18, 4800 + 48}));
    auto const before = weights.value();
    tx::function const f{slope};
    weights.assign(vec{1, 1, 1});
    CHECK(tx::equal(f(at), vec{200 + 1, 400 + 2, 1200 + 3}));
    weights.assign(before);
    tx::function const trainable{[](auto x) { // the compiler can't see which variables are, and leaves it to the run
        tx::gradient_tape tape;
        return tape.gradient(tx::sum(x * weights * weights), weights);
    }};
    CHECK(tx::equal(trainable(at), vec{4, 12, 24}));
    tx::function const unwatched{[](auto x) {
        tx::gradient_tape tape;
        return tape.gradient(tx::sum(fixed * x), fixed);
    }};
    CHECK_THROWS_AS(static_cast<void>(unwatched(at)), tx::tape_error);
}

TEST_CASE("tape in a trace: a model's members, and a training step") {
    struct model {
        vec w{2, 3, 4};
        tensor<double, shape<>> b{1};
    };
    tx::static_function const step{[](model m, auto x) {
        tx::gradient_tape tape;
        tape.watch(m);
        auto const loss = tx::sum(m.w * x) * m.b;
        auto const gradient = tape.gradient(loss, m);
        return std::pair{gradient, loss};
    }};
    auto const [gradient, loss] = step(model{}, at);
    CHECK(tx::equal(gradient.w, at));
    CHECK(gradient.b.item() == 20);
    CHECK(loss.item() == 20);
}

TEST_CASE("tape in a trace: what isn't connected, and a tape that was used") {
    in_all([](auto x) {
        tx::gradient_tape tape;
        tape.watch(x);
        return tape.gradient(tx::sum(x * 0 + 1) * 0 + tx::zeros<double>(shape<>{}), x, tx::unconnected::zero);
    }, gives({0, 0, 0}));
    in_all([](auto x) {
        tx::gradient_tape tape;
        auto const none = tape.gradient(x * x, x, tx::unconnected::none); // not watched
        return none ? x : x * 0;
    }, gives({0, 0, 0}));
    tx::function const unwatched{[](auto x) {
        tx::gradient_tape tape;
        return tape.gradient(x * x, x);
    }};
    CHECK_THROWS_WITH_AS(static_cast<void>(unwatched(at)), doctest::Contains("a source must be watched"), tx::tape_error);
    tx::function const twice{[](auto x) {
        tx::gradient_tape tape;
        tape.watch(x);
        auto const y = x * x;
        return tape.gradient(y, x) + tape.gradient(y, x);
    }};
    CHECK_THROWS_WITH_AS(static_cast<void>(twice(at)), doctest::Contains("only be called once"), tx::tape_error);
}

TEST_CASE("tape in a trace: a derivative that throws leaves the tape as it was") {
    bool nothing = false; // a compiler's trace can't throw
    tx::function const f{[nothing](auto x) {
        tx::gradient_tape tape, rows;
        tape.watch(x);
        rows.watch(x);
        auto const y = x * x, apart = x + static_cast<double>(nothing);
        CHECK_THROWS_AS(static_cast<void>(tape.gradient(y, apart)), tx::tape_error);
        CHECK_THROWS_AS(static_cast<void>(rows.jacobian(y, apart)), tx::tape_error);
        return std::pair(tape.gradient(y, x), rows.jacobian(y, x));
    }};
    auto const [gradient, jacobian] = f(at);
    CHECK(tx::equal(gradient, vec{2, 4, 6}));
    CHECK(tx::equal(jacobian, matrix{{2, 0, 0}, {0, 4, 0}, {0, 0, 6}}));
}

TEST_CASE("tape in a trace: under a tape outside") {
    tx::function const slope{[](auto x) {
        tx::gradient_tape tape;
        tape.watch(x);
        return tape.gradient(x * x * x, x);
    }};
    vec const x = at;
    tx::gradient_tape outer;
    outer.watch(x);
    CHECK(tx::equal(outer.gradient(slope(x), x), vec{6, 12, 18}));
}

TEST_CASE("tape in a trace: concrete tensors that it watches") {
    bool nothing = false;
    vec const captured{1, 2, 3};
    tx::function const product{[&captured](auto x) {
        tx::gradient_tape tape;
        tape.watch(captured);
        return tape.gradient(tx::sum(x * captured), captured);
    }};
    CHECK(tx::equal(product(at + 1), vec{2, 3, 4}));
    // Also what is computed of it alone. A copy is the same value, an equal tensor isn't.
    tx::function const alone{[nothing](auto x) {
        vec const k{1, 2, 3}, other{1, 2, 3 + static_cast<double>(nothing)};
        tx::gradient_tape tape{{.persistent = true}};
        tape.watch(k);
        vec const copy = k, square = k * copy;
        vec const gradient = tape.gradient(tx::sum(x * square + other), k);
        CHECK(!tape.gradient(tx::sum(x * other), other, tx::unconnected::none));
        return gradient;
    }};
    CHECK(tx::equal(alone(at), vec{2, 8, 18}));
    tx::run_eagerly(true);
    CHECK(tx::equal(alone(at), vec{2, 8, 18}));
    tx::run_eagerly(false);
    // By functions, and what is bound to them.
    tx::function const calls{[&captured](auto x) {
        tx::gradient_tape tape;
        tape.watch(captured);
        vec const square = tx::function{[](auto k) { return k * k; }}(captured);
        vec const shifted = tx::function{[](auto z, auto k) { return z + k; }}.bind(captured)(square);
        return tape.gradient(tx::sum(x * shifted), captured);
    }};
    CHECK(tx::equal(calls(at), vec{3, 10, 21}));
    tx::function const forward{[](auto x) {
        vec const k{1, 2, 3};
        tx::forward_accumulator acc{{k, vec{1, 1, 2}}};
        CHECK(!acc.jvp(vec{1, 2, 3}, tx::unconnected::none));
        return acc.jvp(x * k * k);
    }};
    CHECK(tx::equal(forward(at), vec{2, 8, 36}));
    // From without: the trace has no node for it.
    tx::gradient_tape outer{{.persistent = true}};
    outer.watch(captured);
    tx::function const asks{[&](auto x) { return outer.gradient(tx::sum(x * captured), captured, tx::unconnected::zero); }};
    CHECK_THROWS_WITH_AS(static_cast<void>(asks(at)), doctest::Contains("watch it in the callable"), tx::tape_error);
}
TEST_CASE("tape in a trace: what one trace watches no other does") {
    tx::gradient_tape tape{{.persistent = true}};
    tx::function const watches{[&tape](auto x) {
        tape.watch(x);
        return tape.gradient(x * x, x);
    }};
    CHECK(tx::equal(watches(at), vec{2, 4, 6}));
    tx::function const asks{[&tape](auto x) { return tape.gradient(x * x, x); }};
    CHECK_THROWS_AS(static_cast<void>(asks(at)), tx::tape_error);
}
TEST_CASE("forward accumulator in a trace: of another trace's values nothing is known") {
    tx::function const f{[](auto x) {
        tx::forward_accumulator acc{{x, tx::exp(x)}};
        tx::function const other{[&acc](auto z) { return acc.jvp(z * z, tx::unconnected::zero); }};
        std::thread([&other] { CHECK_THROWS_AS(static_cast<void>(other(at)), tx::trace_error); }).join();
        return x;
    }};
    CHECK(tx::equal(f(at), at));
}
TEST_CASE("forward accumulator in a trace") {
    auto const change = [](auto x) {
        tx::forward_accumulator acc{{x, x * 0 + 2}};
        auto const y = x * x * x;
        return acc.jvp(y);
    };
    tx::function const f{change}; // the compiler leaves it to the run
    CHECK(tx::equal(f(at), vec{6, 24, 54}));
    tx::run_eagerly(true);
    CHECK(tx::equal(f(at), vec{6, 24, 54}));
    tx::run_eagerly(false);
    tx::function const over_tape{[](auto x) { // forward over reverse: the Hessian times a vector
        tx::forward_accumulator acc{{x, x}};
        tx::gradient_tape tape;
        tape.watch(x);
        return acc.jvp(tape.gradient(tx::sum(x * x * x), x));
    }};
    CHECK(tx::equal(over_tape(at), vec{6, 24, 54}));
    tx::function const apart{[](auto x) {
        tx::forward_accumulator acc{{x, x}};
        return acc.jvp(tx::zeros_like(x));
    }};
    CHECK_THROWS_AS(static_cast<void>(apart(at)), tx::tape_error);
}
