// This file tests optimizers of parameters in vectors and maps.
#include <run/trees_lists_model.hpp>

#include <tracexpr/optim.hpp>

#include <doctest/doctest.h>

using namespace tx::testing;

template <class Optimizer> void check_training(Optimizer const& optimizer) {
    tx::function const step{[=](auto const& params, auto const& state, auto const& x) {
        auto const [value, gradients] = tx::value_and_grad(loss)(params, x);
        auto const [next, next_state] = optimizer.update(gradients, state, params);
        return std::tuple(next, next_state, value);
    }};
    layers params = some_layers();
    auto state = optimizer.init(params);
    std::vector<float> values;
    for (int k = 0; k < 20; ++k) {
        auto const [next, next_state, value] = step(params, state, batch);
        params = next, state = next_state;
        values.push_back(value.item());
    }
    CHECK(values.back() < 0.9f * values.front());
    CHECK(step.tracing_count() == 1);
    CHECK(params.at("tail").size() == 2);
}
TEST_CASE("lists: optimizers") {
    check_training(tx::optim::sgd({.learning_rate = 0.05, .momentum = 0.9}));
    check_training(tx::optim::adam({.learning_rate = 0.05}));
}
