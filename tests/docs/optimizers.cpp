// Optimizers in the manner of Optax: pure functions of trees of parameters, gradients and states.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <tuple>

using vec = tx::tensor<double, tx::shape<2>>;
constexpr auto loss = [](auto p) { return tx::sum(tx::square(p - 1)); };

// The parameters after some steps from (3, -2).
template <class Optimizer> vec descended(Optimizer const& optimizer, int steps) {
    tx::function step{[=](auto p, auto state) { return optimizer.update(tx::grad(loss)(p), state, p); }};
    vec p{3, -2};
    auto state = optimizer.init(p);
    for (int k = 0; k < steps; ++k) std::tie(p, state) = step(p, state);
    return p;
}

TEST_CASE("optim::sgd, optim::sgd_options, optim::sgd_optimizer, optim::sgd_state") {
    constexpr tx::optim::sgd_optimizer<> sgd = tx::optim::sgd(tx::optim::sgd_options{.learning_rate = 0.25});
    vec const p{3, -2};
    tx::optim::sgd_state const state = sgd.init(p);
    auto const [next, following] = sgd.update(tx::grad(loss)(p), state, p);
    CHECK(tx::equal(next, vec{2, -0.5})); // p - 0.25 * 2 (p - 1)
    CHECK(tx::norm(descended(tx::optim::sgd({.learning_rate = 0.1, .momentum = 0.5}), 50) - 1).item() < 1e-3);
}

TEST_CASE("optim::adam, optim::adam_options, optim::adam_optimizer, optim::adam_state") {
    constexpr tx::optim::adam_optimizer adam = tx::optim::adam(tx::optim::adam_options{.learning_rate = 0.1});
    tx::optim::adam_state const state = adam.init(vec{3, -2});
    auto const [next, following] = adam.update(vec{4, -6}, state, vec{3, -2});
    CHECK(tx::allclose(next, vec{2.9, -1.9}).item()); // the first step is the rate, whatever the gradient
    CHECK(tx::norm(descended(adam, 300) - 1).item() < 1e-2);
}

TEST_CASE("optim::adamw, optim::adamw_options") {
    constexpr auto adamw = tx::optim::adamw(tx::optim::adamw_options{.learning_rate = 0.1, .weight_decay = 0.5});
    auto const [next, state] = adamw.update(vec{4, -6}, adamw.init(vec{3, -2}), vec{3, -2});
    CHECK(tx::allclose(next, vec{2.9 - 0.15, -1.9 + 0.1}).item()); // and 0.1 * 0.5 of the parameters less
}

TEST_CASE("optim::rmsprop, optim::rmsprop_options, optim::rmsprop_optimizer, optim::rmsprop_state") {
    constexpr tx::optim::rmsprop_optimizer rmsprop = tx::optim::rmsprop(tx::optim::rmsprop_options{.learning_rate = 0.01});
    tx::optim::rmsprop_state const state = rmsprop.init(vec{3, -2});
    auto const [next, following] = rmsprop.update(vec{4, -6}, state, vec{3, -2});
    CHECK(next(0) < 3);
    CHECK(tx::norm(descended(rmsprop, 500) - 1).item() < 0.1);
}

TEST_CASE("optim::lbfgs, optim::lbfgs_options, optim::lbfgs_optimizer, optim::lbfgs_state") {
    static constexpr tx::optim::lbfgs_optimizer<5> lbfgs = tx::optim::lbfgs<5>(tx::optim::lbfgs_options{.max_line_search_steps = 20});
    vec p{3, -2};
    tx::optim::lbfgs_state state = lbfgs.init(loss, p); // asks for the loss itself
    tx::static_function step{[](auto s, auto q) { return lbfgs.update(loss, s, q); }};
    for (int k = 0; k < 5; ++k) std::tie(p, state) = step(state, p);
    CHECK(tx::norm(p - 1).item() < 1e-6);
    CHECK(state.value.item() < 1e-12);
}

TEST_CASE("optim::global_norm, optim::clip_by_global_norm") {
    auto const tree = std::tuple(vec{3, 0}, vec{0, 4});
    CHECK(tx::optim::global_norm(tree).item() == 5);
    auto const [a, b] = tx::optim::clip_by_global_norm(tree, 1.0);
    CHECK(tx::allclose(a, vec{0.6, 0}).item());
    CHECK(tx::allclose(b, vec{0, 0.8}).item());
}

TEST_CASE("optim::constant, optim::linear, optim::exponential_decay") {
    CHECK(tx::optim::constant{0.1}(7) == 0.1); // a rate for each step
    CHECK(tx::optim::linear{.initial = 1, .last = 0, .steps = 10}(5) == doctest::Approx(0.5));
    CHECK(tx::optim::exponential_decay{.initial = 1, .steps = 10, .rate = 0.5}(20) == doctest::Approx(0.25));
    constexpr auto adam = tx::optim::adam(tx::optim::constant{0.1}); // optimizers take them for a rate
    static_cast<void>(adam);
}

TEST_CASE("optim::cosine_decay, optim::warmup_cosine_decay") {
    CHECK(tx::optim::cosine_decay{.initial = 1, .steps = 10}(5) == doctest::Approx(0.5));
    tx::optim::warmup_cosine_decay const rate{.initial = 0, .peak = 1, .warmup_steps = 10, .steps = 30};
    CHECK(rate(5) == doctest::Approx(0.5));
    CHECK(rate(20) == doctest::Approx(0.5));
}
