// This file tests L-BFGS over a map of parameters, whose number the run knows; norms of such trees, and trees whose forms differ.
#include <tracexpr/optim.hpp>
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <vector>

using vec = tx::tensor<float, tx::shape<tx::dyn>>;

TEST_CASE("lists: L-BFGS finds the minimum") {
    auto const loss = [](auto const& p) {
        auto const x = p.at("x") - 3.0f, y = p.at("y") - x * x;
        return tx::sum(x * x) + 10.0f * tx::sum(y * y);
    };
    auto const optimizer = tx::optim::lbfgs<5>();
    std::map<std::string, vec> params{{"x", vec{0, 1}}, {"y", vec{2, 2}}};
    auto state = optimizer.init(loss, params);
    tx::function const step{[=](auto const& s, auto const& p) { return optimizer.update(loss, s, p); }};
    for (int k = 0; k < 30; ++k) {
        auto const [next, next_state] = step(state, params);
        params = next, state = next_state;
    }
    CHECK(params.at("x")(0) == doctest::Approx(3).epsilon(0.01));
    CHECK(params.at("x")(1) == doctest::Approx(3).epsilon(0.01));
    CHECK(params.at("y")(0) == doctest::Approx(0).epsilon(0.01));
}

TEST_CASE("lists: norms, and what differs in two trees' forms") {
    std::map<std::string, std::vector<vec>> const params{{"a", {vec{3}}}, {"b", {vec{0, 4}, vec{12}}}, {"c", {}}};
    CHECK(tx::optim::global_norm(params).item() == 13);
    CHECK(tx::optim::clip_by_global_norm(params, 6.5f).at("b")[1](0) == 6);
    CHECK(tx::function{[](auto const& p) { return tx::optim::global_norm(p); }}(params).item() == 13);

    auto const optimizer = tx::optim::sgd(0.1);
    auto const state = optimizer.init(params);
    auto other = params;
    other["b"].pop_back();
    CHECK_THROWS_WITH_AS(optimizer.update(other, state, params),
                         "tx: optim: update: the trees must have one form; gradients[\"b\"] has 1 parts, and not 2",
                         tx::shape_error);
    other = params;
    other.erase("a");
    CHECK_THROWS_WITH_AS(optimizer.update(params, state, other),
                         "tx: optim: update: the trees must have one form; gradients[\"a\"] is too much", tx::shape_error);
    CHECK_THROWS_WITH_AS(tx::tree_map([](auto const& a, auto const& b) { return a + b; }, params, other),
                         "tx: tree_map: the trees must have one form; tree 2[\"a\"] is missing", tx::shape_error);
    CHECK(tx::tree_map([](auto const& a, auto const& b) { return a * b; }, params, params).at("b")[1](0) == 144);
}
