// This file tests vectors, maps and optionals of tensors as arguments and results of functions: their form is a part of the
// signature.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

using mat = tx::tensor<float, tx::shape<tx::dyn, tx::dyn>>;
using vec = tx::tensor<float, tx::shape<tx::dyn>>;

TEST_CASE("lists: a vector's tensors are parameters, and its length makes the trace") {
    tx::function const total{[](auto const& parts) {
        auto out = tx::sum(parts[0]);
        for (std::size_t k = 1; k < parts.size(); ++k) out = out + tx::sum(parts[k]) * static_cast<float>(k);
        return out;
    }};
    std::vector<vec> parts{vec{1, 2}, vec{3, 4, 5}};
    CHECK(total(parts).item() == 15);
    parts[0] = vec{10, 20};
    CHECK(total(parts).item() == 42);
    CHECK(total.tracing_count() == 1);
    parts.push_back(vec{1});
    CHECK(total(parts).item() == 44);
    CHECK(total.tracing_count() == 2);
    CHECK(total.signatures()[1] == "((float32[?], float32[?], float32[?])) -> float32[]");
    CHECK(tx::why_not_static(total, parts) ==
          "argument 0 has a vector, map or optional, of which only the run tells how many parts "
          "it has: make it an array, tuple or struct");
}

TEST_CASE("lists: a map's parts are found by key, and traced in the order of the keys") {
    tx::function const affine{[](auto p, auto x) { return tx::matmul(x, p["weights"]) + p["bias"]; }};
    std::map<std::string, mat> const params{{"weights", mat{{1, 2}, {3, 4}}}, {"bias", mat{{10, 20}}}};
    CHECK(tx::equal(affine(params, mat{{1, 1}}), mat{{14, 26}}));
    CHECK(affine.signatures()[0] == "(([\"bias\"]: float32[?,?], [\"weights\"]: float32[?,?]), float32[?,?]) -> float32[?,?]");
    std::unordered_map<std::string, mat> const unordered(params.begin(), params.end());
    CHECK(tx::equal(affine(unordered, mat{{1, 1}}), mat{{14, 26}}));

    std::map<std::string, mat> other = params;
    other.erase("bias");
    CHECK_THROWS_WITH_AS(
        affine(other, mat{{1, 1}}),
        "tx: function: a map has no key [\"bias\"]; its keys are [\"weights\"]. To add one write insert_or_assign", tx::error);
    other["offset"] = mat{{1, 1}};
    CHECK_THROWS_AS(affine(other, mat{{1, 1}}), tx::error);
    CHECK(affine.tracing_count() == 2);
}

TEST_CASE("lists: integers and enums as keys, and an optional") {
    enum class layer { first, second };
    tx::function const f{[](auto const& by_number, auto const& by_name, auto const& bias) {
        auto const y = by_number.at(7) - by_name.at(layer::second);
        return bias ? y + *bias : y;
    }};
    std::map<int, vec> const by_number{{7, vec{5, 6}}, {-1, vec{0}}};
    std::map<layer, vec> const by_name{{layer::second, vec{1, 1}}};
    CHECK(tx::equal(f(by_number, by_name, std::optional<vec>()), vec{4, 5}));
    CHECK(tx::equal(f(by_number, by_name, std::optional(vec{1, 2})), vec{5, 7}));
    CHECK(f.tracing_count() == 2);
    CHECK(f.signatures()[0] == "(([-1]: float32[?], [7]: float32[?]), ([1]: float32[?]), ()) -> float32[?]");
}

TEST_CASE("lists: results have as many parts as the callable returned") {
    tx::function const pieces{[](auto const& x, auto count) {
        std::vector<decltype(x * 1)> out;
        for (int k = 0; k < count; ++k) out.push_back(x * k);
        return out;
    }};
    std::vector<vec> const three = pieces(vec{1, 2}, tx::key(3));
    CHECK(three.size() == 3);
    CHECK(tx::equal(three[2], vec{2, 4}));
    CHECK(pieces(vec{1, 2}, tx::key(0)).empty());
    CHECK(pieces(vec{1, 2}, tx::key(5)).size() == 5);

    // Nothing of the call but its result is one.
    tx::function const both{
        [](auto x) { return std::map<std::string, decltype(x + x)>{{"twice", x + x}, {"thrice", x + x + x}}; }};
    std::map<std::string, vec> const made = both(vec{1});
    CHECK(made.at("twice")(0) == 2);
    CHECK(made.at("thrice")(0) == 3);
    CHECK(both(vec{2}).at("thrice")(0) == 6);
    CHECK(both.tracing_count() == 1);
    CHECK(tx::why_not_static(both, vec{1}) ==
          "the callable returns a vector, map or optional, of which only the run tells how many "
          "parts it has: return an array, tuple or struct");

    tx::function const changed{[](auto p, auto x) {
        for (auto& [name, w] : p) w = w + x;
        return p;
    }};
    std::map<std::string, vec> p{{"a", vec{1}}, {"b", vec{2}}};
    p = changed(p, vec{10});
    CHECK(p.at("a")(0) == 11);
    CHECK(p.at("b")(0) == 12);
    changed.into(p, p, vec{1});
    CHECK(p.at("b")(0) == 13);
    std::map<std::string, vec> elsewhere;
    changed.into(elsewhere, p, vec{1});
    CHECK(elsewhere.at("b")(0) == 14);
    float const* const before = elsewhere.at("b").data();
    changed.into(elsewhere, p, vec{2});
    CHECK(elsewhere.at("b").data() == before);
    CHECK(elsewhere.at("b")(0) == 15);
}
