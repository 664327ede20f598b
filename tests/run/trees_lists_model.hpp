// This file holds a model whose parameters are maps of vectors of structs, and its loss.
#pragma once

#include <tracexpr/tracexpr.hpp>

#include <map>
#include <string>
#include <vector>

namespace tx::testing {

using mat = tx::tensor<float, tx::shape<tx::dyn, tx::dyn>>;
using vec = tx::tensor<float, tx::shape<tx::dyn>>;

struct layer {
    mat weights;
    vec bias;
};
using layers = std::map<std::string, std::vector<layer>>;

inline constexpr auto loss = [](auto const& params, auto const& x) {
    mat y = x;
    for (auto const& [name, all] : params)
        for (layer const& l : all) y = tx::tanh(tx::matmul(y, l.weights) + l.bias);
    return tx::sum(y * y);
};
inline layers some_layers() {
    return {{"head", {{mat{{0.5f, -0.25f}, {1, 0.75f}}, vec{0.1f, 0.2f}}}},
            {"tail", {{mat{{-0.5f, 0.5f}, {0.25f, 1}}, vec{0, 0.3f}}, {mat{{0.7f}, {-0.2f}}, vec{0.05f}}}}};
}
inline mat const batch{{1, 2}, {-0.5f, 0.25f}, {0, 1}};

} // namespace tx::testing
