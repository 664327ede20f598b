// This file tests vectors and maps of tensors through branches and loops.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <vector>

using vec = tx::tensor<float, tx::shape<tx::dyn>>;

TEST_CASE("lists: branches return them") {
    tx::function const f{[](auto const& parts, auto x) {
        return tx::cond(
            tx::sum(x) > 0, [](auto const& p) { return std::vector{p[1], p[0]}; }, [](auto const& p) { return p; }, parts);
    }};
    std::vector<vec> const parts{vec{1}, vec{2}};
    CHECK(f(parts, vec{1})[0](0) == 2);
    CHECK(f(parts, vec{-1})[0](0) == 1);
    tx::function const uneven{[](auto const& p, auto x) {
        return tx::cond(tx::sum(x) > 0, [](auto const& q) { return std::vector{q[0]}; }, [](auto const& q) { return q; }, p);
    }};
    CHECK_THROWS_WITH_AS(uneven(parts, vec{1}),
                         "tx: cond: what both branches return must have one form; that of the second has 2 parts, and not 1",
                         tx::shape_error);
}

TEST_CASE("lists: loops carry them") {
    tx::function const f{[](auto const& start, auto const& xs) {
        return tx::scan(
            [](auto carry, auto const& x) {
                for (auto& [name, part] : carry) part = part + x;
                return std::pair(carry, carry);
            },
            start, xs);
    }};
    std::map<std::string, vec> const start{{"a", vec{1}}, {"b", vec{10}}};
    auto const [last, all] = f(start, tx::tensor<float, tx::shape<tx::dyn, 1>>{{1}, {2}, {3}});
    CHECK(last.at("a")(0) == 7);
    CHECK(last.at("b")(0) == 16);
    CHECK(all.at("b").extent(0) == 3);
    CHECK(all.at("b")(1, 0) == 13);

    tx::function const grows{[](auto const& s, auto const& xs) {
        return tx::scan(
                   [](auto carry, auto const& x) {
                       carry.push_back(carry[0] + x);
                       return std::pair(carry, x);
                   },
                   s, xs)
            .first;
    }};
    CHECK_THROWS_AS(grows(std::vector<vec>{vec{1}}, tx::tensor<float, tx::shape<tx::dyn, 1>>{{1}, {2}}), tx::shape_error);

    tx::function const doubled{[](auto const& s) {
        return tx::while_loop([](auto const& p) { return tx::sum(p[0]) < 100; },
                              [](auto const& p) { return std::vector{p[0] * 2, p[1] + 1}; }, s);
    }};
    auto const out = doubled(std::vector<vec>{vec{3}, vec{0}});
    CHECK(out[0](0) == 192);
    CHECK(out[1](0) == 6);
}
