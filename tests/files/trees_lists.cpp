// This file tests vectors, maps and optionals of tensors, written to files and read.
#include <tracexpr/files.hpp>

#include <doctest/doctest.h>

#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <vector>

using vec = tx::tensor<float, tx::shape<tx::dyn>>;
using state_dict = std::map<std::string, tx::tensor<float>>;

struct layer {
    vec weights;
    std::optional<vec> bias;
};
struct network {
    std::vector<layer> layers;
    std::map<int, std::map<std::string, vec>> tables;
};

TEST_CASE("files: a map takes the names of a file") {
    for (std::string const path : {"lists.npz", "lists.safetensors"}) {
        CAPTURE(path);
        state_dict const saved{{"encoder.0.weight", tx::tensor<float>{{1, 2}}}, {"head", tx::tensor<float>{3}}};
        tx::save(path, saved);
        auto const loaded = tx::load<state_dict>(path);
        CHECK(loaded.size() == 2);
        CHECK(tx::equal(loaded.at("encoder.0.weight"), tx::tensor<float>{{1, 2}}));
        CHECK(loaded.at("head")(0) == 3);

        state_dict other{{"tail", {}}};
        CHECK_THROWS_AS(tx::load(path, other), tx::error);
        CHECK(other.size() == 1);
        std::map<std::string, tx::tensor<int>> wrong;
        CHECK_THROWS_AS(tx::load(path, wrong), tx::type_error);
        CHECK(wrong.empty());
        std::remove(path.c_str());
    }
}

TEST_CASE("files: structs with vectors, maps and optionals") {
    network saved{{}, {{-1, {{"a", vec{1}}}}, {5, {{"b", vec{2}}, {"c", vec{3, 4}}}}}};
    for (int k = 0; k < 12; ++k) saved.layers.push_back({vec{static_cast<float>(k)}, {}});
    saved.layers[11].bias = vec{7, 8};
    tx::save("network.npz", saved);
    auto const loaded = tx::load<network>("network.npz");
    CHECK(loaded.layers.size() == 12);
    CHECK(loaded.layers[10].weights(0) == 10);
    CHECK(!loaded.layers[10].bias);
    CHECK(loaded.layers[11].bias->size() == 2);
    CHECK(loaded.tables.at(-1).at("a")(0) == 1);
    CHECK(loaded.tables.at(5).at("c")(1) == 4);

    network small{{{vec{0}, {}}}, {}};
    CHECK_THROWS_AS(tx::load("network.npz", small), tx::error); // a vector with parts keeps its length
    CHECK(small.tables.empty());
    std::map<std::string, vec> tables{{"5.b", vec{}}};
    CHECK_THROWS_AS(tx::load("network.npz", tables), tx::error);
    std::remove("network.npz");
}
