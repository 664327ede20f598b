// This file tests derivatives and batches of callables that capture by tx::capture.
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

TEST_CASE("capture: derivatives agree with finite differences") {
    tensor<double, shape<3>> w{1, 2, 3};
    double k = 2;
    auto const loss = [w = tx::capture(w), k = tx::capture(k)](auto x) { return tx::sum(tx::exp(x * w) * k) + tx::max(w * w); };
    tx::check_gradients(loss, tensor<double, shape<3>>{0.1, -0.2, 0.3});
}
