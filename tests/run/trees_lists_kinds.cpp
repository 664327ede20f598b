// This file tests lists of tensors through the other ways of calling a function.
#include <tracexpr/inspect.hpp>
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <functional>
#include <map>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <vector>

using vec = tx::tensor<float, tx::shape<tx::dyn>>;

namespace {
// Its type has no end: it is no tree, and a callable that has one is traced with the values it had.
struct node {
    float value;
    std::vector<node> children;
};
struct of_nodes {
    node root;
    auto operator()(auto x) const {
        x = x * root.value;
        for (node const& child : root.children) x = x + child.value;
        return x;
    }
};
constexpr auto twice = [](auto p) {
    for (auto& part : p) part = part * 2;
    return p;
};
struct adding {
    std::vector<tx::variable<float, tx::shape<2>>> all;
    auto operator()(auto x) {
        for (auto& part : all) part.assign(part + x);
        return tx::sum(all[0]);
    }
};
struct scaled {
    std::vector<float> factors;
    constexpr auto operator()(auto x) const {
        for (float const f : factors) x = x * f;
        return x;
    }
};
} // namespace

// By what they have: a multimap has several parts for a key.
static_assert(tx::detail::list_type<std::map<int, vec>> && tx::detail::list_type<std::unordered_map<std::string, vec>>);
static_assert(!tx::detail::list_type<std::multimap<int, vec>> && !tx::detail::list_type<std::unordered_multimap<int, vec>>);
static_assert(!tx::detail::list_type<std::map<double, vec>> && !tx::detail::list_type<std::pair<int, vec>>);

TEST_CASE("lists: maps of another order, or another hash, stay what they are") {
    std::map<std::string, vec, std::greater<>> const parts{{"a", vec{1, 2}}, {"b", vec{3}}};
    auto const doubled = tx::function{[](auto p) {
        for (auto& [key, part] : p) part = part * 2;
        return p;
    }}(parts);
    static_assert(std::is_same_v<std::remove_const_t<decltype(doubled)>, std::map<std::string, vec, std::greater<>>>);
    CHECK(doubled.begin()->first == "b");
    CHECK(tx::equal(doubled.at("a"), vec{2, 4}));
    struct length {
        std::size_t operator()(std::string const& text) const { return text.size(); }
    };
    std::unordered_map<std::string, vec, length> const hashed{{"x", vec{1}}, {"y", vec{5}}};
    CHECK(tx::equal(tx::function{[](auto p) { return p.at("x") + p.at("y"); }}(hashed), vec{6}));
}
TEST_CASE("lists: variables in them are assigned to") {
    std::vector<tx::variable<float, tx::shape<2>>> weights{tx::variable<float, tx::shape<2>>({1, 2}),
                                                           tx::variable<float, tx::shape<2>>({3, 4})};
    adding owner{weights};
    tx::function const f{std::ref(owner)};
    CHECK(f(1.0f).item() == 5);
    CHECK(f(1.0f).item() == 7);
    CHECK(tx::equal(owner.all[1].value(), tx::tensor<float>{5, 6}));
}

TEST_CASE("lists: run eagerly, on threads, under a tape, and profiled") {
    std::vector<vec> const parts{vec{1, 2}, vec{3}};
    tx::function const f{twice};
    tx::run_eagerly(true);
    CHECK(f(parts)[1](0) == 6);
    tx::run_eagerly(false);
    CHECK(tx::function{tx::on(tx::cpu{.threads = 2}, twice)}(parts)[0](1) == 4);
    CHECK(tx::function(twice, tx::options{.jit = tx::jit::never})(parts)[0](1) == 4);
    CHECK(!tx::profile(f, parts).steps.empty());

    tx::gradient_tape tape;
    tape.watch(parts);
    auto const y = tx::sum(f(parts)[0] * parts[0]);
    auto const gradients = tape.gradient(y, parts, tx::unconnected::zero);
    CHECK(tx::equal(gradients[0], vec{4, 8}));
    CHECK(gradients[1](0) == 0);
}

TEST_CASE("lists: numbers in a struct's vector are values that a trace is made for") {
    scaled s{{2, 3}};
    tx::function const f{std::ref(s)};
    CHECK(f(vec{1})(0) == 6);
    s.factors.push_back(4);
    CHECK(f(vec{1})(0) == 24);
    CHECK(f.tracing_count() == 2);
}

TEST_CASE("lists: a struct that holds a list of its like") {
    CHECK(tx::function{of_nodes{{2, {{3, {}}, {4, {}}}}}}(vec{1})(0) == 9);
}

TEST_CASE("lists: Jacobians, and what is computed again") {
    std::map<std::string, vec> const params{{"a", vec{1, 2}}, {"b", vec{3, 4}}};
    auto const product = [](auto const& p) { return p.at("a") * p.at("b"); };
    CHECK(tx::function{tx::jacrev(product)}(params).at("a")(1, 1) == 4);
    CHECK(tx::function{tx::jacfwd(product)}(params).at("b")(1, 1) == 2);
    CHECK(tx::function{tx::checkpoint(product)}(params)(1) == 8);
}
