// Derivatives: transforms, which take callables and give callables, and tapes, which record what a program computes.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <string>
#include <tuple>
#include <utility>

using scalar = tx::tensor<double, tx::shape<>>;
using vec = tx::tensor<double, tx::shape<2>>;
using square = tx::tensor<double, tx::shape<2, 2>>;
constexpr auto cubes = [](auto x) { return tx::sum(x * x * x); };

TEST_CASE("grad, has_aux") {
    CHECK(tx::equal(tx::grad(cubes)(vec{1, 2}), vec{3, 12}));
    auto const [da, db] = tx::grad<0, 1>([](auto a, auto b) { return tx::sum(a * b); })(vec{1, 2}, vec{3, 4});
    CHECK(tx::equal(da, vec{3, 4}));
    CHECK(tx::equal(db, vec{1, 2}));
    auto const with_norm = [](auto x) { return std::pair(cubes(x), tx::norm(x)); };
    auto const [gradient, norm] = tx::grad(with_norm, tx::has_aux)(vec{3, 4}); // the second part comes along
    CHECK(tx::equal(gradient, vec{27, 48}));
    CHECK(norm.item() == 5);
}

TEST_CASE("value_and_grad") {
    auto const [value, gradient] = tx::value_and_grad(cubes)(vec{1, 2});
    CHECK(value.item() == 9);
    CHECK(tx::equal(gradient, vec{3, 12}));
}

TEST_CASE("jvp, vjp") {
    auto const f = [](auto x) { return x * x; };
    auto const [y, dy] = tx::jvp(f)(vec{1, 2}, vec{1, 10}); // the value, and its change along (1, 10)
    CHECK(tx::equal(y, vec{1, 4}));
    CHECK(tx::equal(dy, vec{2, 40}));
    auto const [dx] = tx::vjp(f)(vec{1, 2}, vec{1, 10}); // a tuple of the arguments' cotangents
    CHECK(tx::equal(dx, vec{2, 40}));
}

TEST_CASE("jacfwd, jacrev, hessian, hvp") {
    auto const f = [](auto x) { return x * x; };
    CHECK(tx::equal(tx::jacfwd(f)(vec{1, 2}), square{{2, 0}, {0, 4}})); // (result..., argument...)
    CHECK(tx::equal(tx::jacrev(f)(vec{1, 2}), square{{2, 0}, {0, 4}}));
    CHECK(tx::equal(tx::hessian(cubes)(vec{1, 2}), square{{6, 0}, {0, 12}}));
    CHECK(tx::equal(tx::hvp(cubes)(vec{1, 2}, vec{1, 1}), vec{6, 12}));
}

TEST_CASE("linearize") {
    auto const [y, change] = tx::linearize(cubes)(vec{1, 2});
    CHECK(y.item() == 9);
    CHECK(change(vec{1, 0}).item() == 3);
}

TEST_CASE("vmap, none, out_axes") {
    square const xs{{1, 2}, {3, 4}};
    CHECK(tx::equal(tx::vmap(cubes)(xs), vec{9, 91})); // of each row
    auto const scaled = [](auto x, auto by) { return x * by; };
    CHECK(tx::equal(tx::vmap<0, tx::none>(scaled)(xs, vec{10, 100}), square{{10, 200}, {30, 400}}));
    CHECK(tx::equal(tx::vmap<0>([](auto x) { return x; }, tx::out_axes<1>)(xs), tx::transpose(xs)));
}

TEST_CASE("stop_gradient") {
    auto const f = [](auto x) { return x * tx::stop_gradient(x); }; // as if the second factor were a constant
    CHECK(tx::grad(f)(scalar(3.0)).item() == 3);
}

TEST_CASE("checkpoint") {
    auto const f = tx::checkpoint([](auto x) { return tx::sum(tx::sin(tx::sin(x))); }); // computed again for the derivative
    CHECK(tx::equal(tx::grad(f)(vec{0, 0}), vec{1, 1}));
}

TEST_CASE("custom_gradient, custom_jvp") {
    constexpr auto clipped = tx::custom_gradient([](auto x) { return x * x; },
                                                 [](auto x, auto ybar) { return ybar * tx::clip(2 * x, -1, 1); });
    CHECK(tx::grad(clipped)(scalar(3.0)).item() == 1);
    constexpr auto pushed = tx::custom_jvp([](auto x) { return x * x; },
                                           [](auto x, auto dx) { return std::pair(x * x, 7.0 * dx); });
    CHECK(tx::grad(pushed)(scalar(3.0)).item() == 7);
}

TEST_CASE("check_gradients") { tx::check_gradients([](auto x) { return tx::sum(tx::sin(x)); }, vec{0.5, 1}); } // throws where they are wrong

TEST_CASE("gradient_tape, tape_options, tape_error") {
    scalar const x = 3.0;
    tx::gradient_tape tape;
    tape.watch(x);
    auto const y = x * x;
    CHECK(tape.gradient(y, x).item() == 6);
    CHECK_THROWS_AS(tape.gradient(y, x), tx::tape_error); // not persistent
    tx::gradient_tape often{tx::tape_options{.persistent = true}};
    often.watch(x);
    auto const z = x * x * x;
    CHECK(often.gradient(z, x).item() == 27);
    CHECK(often.jacobian(z, x).item() == 27);
    auto const off = often.stop_recording(); // until `off` goes
}

TEST_CASE("gradient_tape") {
    tx::variable w{vec{1, 2}}; // watched by itself
    tx::gradient_tape tape;
    auto const loss = tx::sum(w * w);
    CHECK(tape.watched_variables().size() == 1);
    CHECK(tx::equal(tape.gradient(loss, w), vec{2, 4}));
    tx::gradient_tape other;
    CHECK(!other.explain(tx::stop_gradient(w * w), w).empty()); // why there is no gradient
    other.reset();
    square const rows{{1, 2}, {3, 4}};
    other.watch(rows);
    CHECK(tx::equal(other.batch_jacobian(rows * rows, rows)[0], square{{2, 0}, {0, 4}}));
}

TEST_CASE("unconnected::none, unconnected::zero") {
    vec const x{1, 2}, other{3, 4};
    tx::gradient_tape tape{{.persistent = true}};
    tape.watch(x), tape.watch(other);
    auto const y = tx::sum(x);
    CHECK(!tape.gradient(y, other, tx::unconnected::none)); // a std::optional
    CHECK(tx::equal(tape.gradient(y, other, tx::unconnected::zero), vec{0, 0}));
}

TEST_CASE("forward_accumulator, primal_and_tangent") {
    vec const x{1, 2}, dx{1, 10};
    tx::forward_accumulator acc{tx::primal_and_tangent(x, dx)}; // or {{x, dx}}
    auto const y = x * x;
    CHECK(tx::equal(acc.jvp(y), vec{2, 40}));
}
