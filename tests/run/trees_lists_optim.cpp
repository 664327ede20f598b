// Optimizers of parameters in vectors and maps.
#include <tracexpr/optim.hpp>
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <vector>

using mat = tx::tensor<float, tx::shape<tx::dyn, tx::dyn>>;
using vec = tx::tensor<float, tx::shape<tx::dyn>>;

namespace {
struct layer {
    mat weights;
    vec bias;
};
using layers = std::map<std::string, std::vector<layer>>;

constexpr auto loss = [](auto const& params, auto const& x) {
    mat y = x;
    for (auto const& [name, all] : params)
        for (layer const& l : all) y = tx::tanh(tx::matmul(y, l.weights) + l.bias);
    return tx::sum(y * y);
};
layers some_layers() {
    return {{"head", {{mat{{0.5f, -0.25f}, {1, 0.75f}}, vec{0.1f, 0.2f}}}},
            {"tail", {{mat{{-0.5f, 0.5f}, {0.25f, 1}}, vec{0, 0.3f}}, {mat{{0.7f}, {-0.2f}}, vec{0.05f}}}}};
}
mat const batch{{1, 2}, {-0.5f, 0.25f}, {0, 1}};
} // namespace

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
