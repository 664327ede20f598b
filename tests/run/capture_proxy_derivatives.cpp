// Derivatives, batches and gradient tapes of callables that captured by tx::capture.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <functional>

using tx::dyn;
using tx::shape;
using tx::tensor;
using vec = tensor<float, shape<3>>;
using matrix = tensor<float, shape<3, 3>>;

namespace {

vec const given{1, 1, 2};
struct dense {
    vec weights;
    tensor<float, shape<>> bias;
    constexpr auto operator()(auto x) const { return tx::sum(x * weights) + bias; }
};

} // namespace

TEST_CASE("capture: derivatives with respect to the arguments") {
    vec w{1, 2, 3};
    auto const loss = [w = tx::capture(w)](auto x) { return tx::sum(x * x * w); };
    tx::static_function gradient{tx::grad(loss)};
    static_assert(decltype(gradient)::is_static);
    CHECK(tx::equal(gradient(given), vec{2, 4, 12}));
    w = vec{1, 1, 1};
    CHECK(tx::equal(gradient(given), vec{2, 2, 4}));
    CHECK(tx::equal(tx::grad(loss)(given), vec{2, 2, 4}));
    CHECK(tx::equal(tx::static_function{tx::hessian(loss)}(given), matrix{{2, 0, 0}, {0, 2, 0}, {0, 0, 2}}));
    tx::function const f{loss};
    CHECK(tx::equal(tx::static_function{tx::grad(f)}(given), vec{2, 2, 4}));
    CHECK(tx::equal(tx::static_function{tx::grad(tx::checkpoint(loss))}(given), vec{2, 2, 4}));
    CHECK(tx::equal(tx::static_function{tx::grad(std::ref(loss))}(given), vec{2, 2, 4}));
    auto const [value, change] = tx::static_function{tx::jvp(loss)}(given, vec{1, 0, 0});
    CHECK(value.item() == 6);
    CHECK(change.item() == 2);
}

TEST_CASE("capture: derivatives with respect to what is captured, inside of the callable") {
    vec w{1, 2, 3};
    dense layer{{1, 2, 3}, 1.f};
    tx::static_function f{[w = tx::capture(w), layer = tx::capture(layer)](auto x) {
        auto const by_w = tx::grad([](auto v, auto y) { return tx::sum(v * v * y); })(w, x);
        auto const by_layer = tx::grad([](auto n, auto y) { return n(y); })(*layer, x);
        return by_w + by_layer.weights + by_layer.bias;
    }};
    CHECK(tx::equal(f(given), vec{2 + 1 + 1, 4 + 1 + 1, 12 + 2 + 1}));
    w = vec{1, 1, 1};
    CHECK(tx::equal(f(given), vec{2 + 1 + 1, 2 + 1 + 1, 4 + 2 + 1}));
}

TEST_CASE("capture: vmap") {
    vec w{1, 2, 3};
    tensor<float, shape<dyn, 3>> const rows{{1, 0, 0}, {0, 1, 0}};
    auto const loss = [w = tx::capture(w)](auto x) { return tx::sum(x * x * w); };
    CHECK(tx::equal(tx::static_function{tx::vmap(loss)}(rows), tensor<float, shape<dyn>>{1, 2}));
    CHECK(tx::equal(tx::static_function{tx::vmap(tx::grad(loss))}(rows), tensor<float, shape<dyn, 3>>{{2, 0, 0}, {0, 4, 0}}));
}

TEST_CASE("capture: a tape that watches what is captured") {
    vec const x{1, 1, 2};
    vec w{1, 2, 3};
    tx::variable v{vec{1, 1, 1}};
    auto const callable = [w = tx::capture(w), v = tx::capture(v)](auto y) { return tx::sum(y * w * w * v); };
    for (tx::jit const mode : {tx::jit::automatic, tx::jit::never}) {
        tx::function f{callable, tx::options{.jit = mode}};
        tx::gradient_tape tape;
        tape.watch(w);
        tape.watch(x);
        auto const [dw, dv, dx] = tape.gradient(f(x), std::tuple(w, v, x));
        CHECK(tx::equal(dw, vec{2, 4, 12}));
        CHECK(tx::equal(dv, vec{1, 4, 18}));
        CHECK(tx::equal(dx, vec{1, 4, 9}));
    }
}

TEST_CASE("capture: a tape in a callable takes its value") {
    vec w{1, 2, 3};
    tx::function f{[w = tx::capture(w)](auto x) {
        tx::gradient_tape tape;
        auto const now = w.value();
        tape.watch(now);
        return tape.gradient(tx::sum(x * now * now), now);
    }};
    CHECK(tx::equal(f(given), vec{2, 4, 12}));
    w = vec{1, 1, 1};
    CHECK(tx::equal(f(given), vec{2, 2, 4}));
}
