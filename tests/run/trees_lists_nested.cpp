// This file tests vectors, maps and optionals in structs and in each other, held by callables, and inside of other traces.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

using mat = tx::tensor<float, tx::shape<tx::dyn, tx::dyn>>;
using vec = tx::tensor<float, tx::shape<tx::dyn>>;

struct layer {
    mat weights;
    std::optional<vec> bias;
};
struct network {
    std::vector<layer> layers;
    std::map<std::string, std::vector<vec>> scales;
    int power = 1;
};

TEST_CASE("lists: of structs, in structs and of each other") {
    tx::function const run{[](network const& n, auto x) {
        mat y = x;
        for (layer const& l : n.layers) {
            y = tx::matmul(y, l.weights);
            if (l.bias) y = y + *l.bias;
        }
        for (auto const& [name, all] : n.scales)
            for (vec const& s : all) y = y * tx::pow(s, n.power);
        return y;
    }};
    network n{{{mat{{1, 2}, {3, 4}}, {}}, {mat{{1}, {1}}, vec{5}}}, {{"out", {vec{2}, vec{3}}}}};
    CHECK(run(n, mat{{1, 1}}).item() == 90);
    n.power = 2;
    CHECK(run(n, mat{{1, 1}}).item() == 540);
    n.layers[1].bias.reset();
    CHECK(run(n, mat{{1, 1}}).item() == 360);
    n.scales["out"].pop_back();
    CHECK(run(n, mat{{1, 1}}).item() == 40);
    CHECK(run.tracing_count() == 4);

    tx::function const halved{[](network m) {
        for (layer& l : m.layers) l.weights = l.weights * 0.5f;
        return m;
    }};
    network const half = halved(n);
    CHECK(half.layers.size() == 2);
    CHECK(half.layers[0].weights(1, 1) == 2);
    CHECK(!half.layers[1].bias);
    CHECK(half.scales.at("out")[0](0) == 2);
    CHECK(half.power == 2);
}

struct stacked {
    std::vector<vec> parts;
    constexpr auto operator()(auto x) const {
        for (vec const& part : parts) x = x + part;
        return x;
    }
};
TEST_CASE("lists: held by a callable, bound to it, and inside of other traces") {
    tx::function f{stacked{{vec{1}, vec{2}}}};
    CHECK(f(vec{0})(0) == 3);
    auto const sum = [](auto x, auto const& parts) {
        for (auto const& part : parts) x = x + part;
        return x;
    };
    std::vector<vec> parts{vec{1}};
    auto const bound = tx::function{sum}.bind(parts);
    CHECK(bound(vec{0})(0) == 1);
    parts[0] = vec{4};
    parts.push_back(vec{2});
    CHECK(bound(vec{0})(0) == 6);

    tx::function const inner{[](auto const& p) { return std::vector{p[0] * 2, p[1] * 3}; }};
    tx::function const outer{[&](auto const& p) { return inner(p)[1] + inner(inner(p))[0]; }};
    CHECK(outer(parts)(0) == 22);
}
