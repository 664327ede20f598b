// This file tests arguments and results that are trees.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

using tx::shape;
using tx::tensor;
using vec = tensor<float, shape<2>>;

namespace {

struct layer {
    vec w{1, 2}, b{};
};
struct model {
    layer first{}, second{};
    std::array<layer, 2> rest{};
    std::tuple<vec, tensor<float, shape<>>> extra{};
};
struct hyper {
    vec w{};
    int power = 2;
    bool negate = false;
};
struct outputs {
    tensor<float, shape<>> loss{};
    std::pair<vec, vec> gradients{};
    int steps = 0;
};
enum class mode { plain, mirrored };

bool same(auto const& a, auto const& b) { return tx::equal(a, b); }

} // namespace

TEST_CASE("pytree: facts of types") {
    using tx::detail::facts;
    static_assert(facts<model>.leaves == 10 && facts<model>.is_tree && !facts<model>.has_values);
    static_assert(facts<hyper>.leaves == 1 && facts<hyper>.has_values);
    static_assert(facts<std::tuple<>>.is_tree && facts<std::tuple<>>.leaves == 0);
    static_assert(facts<std::pair<float, tensor<float>>>.leaves == 2 && facts<std::pair<float, tensor<float>>>.has_open_rank);
    static_assert(!facts<std::vector<float>>.is_tree && !facts<char const*>.is_tree && !facts<std::string>.is_tree);
    struct arrays {
        vec many[3];
        vec one;
    };
    struct derived : layer {
        vec more;
    };
    static_assert(!facts<arrays>.is_tree && !facts<derived>.is_tree);
}

TEST_CASE("pytree: arguments") {
    vec const x{1, 2}, y{3, 4};
    SUBCASE("tuples, pairs and arrays, nested") {
        tx::function g{[](auto const& t, auto const& a) { return std::get<0>(t) * std::get<1>(t).first + std::get<1>(t).second + a[0] - a[1]; }};
        static_assert(decltype(g)::is_static);
        CHECK(same(g(std::tuple{x, std::pair{y, 2.f}}, std::array{y, x}), vec{7, 12}));
        CHECK(g.tracing_count() == 1);
        CHECK(g.signatures()[0] == "((float32[2], (float32[2], weak float32[])), (float32[2], float32[2])) -> float32[2]");
    }
    SUBCASE("empty ones") {
        tx::function g{[](auto const& none, auto const& v, std::array<float, 0>) { return v + static_cast<int>(std::tuple_size_v<std::remove_cvref_t<decltype(none)>>); }};
        CHECK(same(g(std::tuple{}, x, std::array<float, 0>{}), x));
    }
    SUBCASE("structs, nested") {
        tx::function g{[](model const& m, auto v) { return (v * m.first.w + m.second.b) * m.rest[1].w + std::get<0>(m.extra) * std::get<1>(m.extra); }};
        static_assert(decltype(g)::is_static);
        model m;
        m.second.b = {1, 1}, m.rest[1].w = {10, 100}, m.extra = {vec{1, 1}, tensor<float, shape<>>(3.f)};
        CHECK(same(g(m, x), vec{23, 503}));
        m.first.w = {0, 0};
        CHECK(same(g(m, x), vec{13, 103}));
        CHECK(g.tracing_count() == 1);
    }
    SUBCASE("a struct's numbers are values: one trace for each") {
        tx::function g{[](hyper const& h, auto v) {
            auto out = v * h.w;
            for (int i = 1; i < h.power; ++i) out = out * h.w;
            return h.negate ? -out : out;
        }};
        CHECK(same(g(hyper{{2, 3}}, x), vec{4, 18}));
        CHECK(same(g(hyper{{3, 2}}, x), vec{9, 8}));
        CHECK(g.tracing_count() == 1);
        CHECK(same(g(hyper{{2, 3}, 1, true}, x), vec{-2, -6}));
        CHECK(same(g(hyper{{2, 3}, 2, true}, x), vec{-4, -18}));
        CHECK(g.signatures() == std::vector<std::string>{"((float32[2], 2, false), float32[2]) -> float32[2]", "((float32[2], 1, true), float32[2]) -> float32[2]",
                                                         "((float32[2], 2, true), float32[2]) -> float32[2]"});
    }
}

TEST_CASE("pytree: keys") {
    vec const x{1, 2};
    tx::function g{[](auto v, auto const& name) {
        if constexpr (std::is_convertible_v<decltype(name), std::string_view>) return name == std::string_view("double") ? v * 2 : v;
        else if constexpr (std::is_enum_v<std::remove_cvref_t<decltype(name)>>) return name == mode::mirrored ? -v : v + 0;
        else return v * static_cast<float>(name);
    }};
    SUBCASE("strings compare by value") {
        char text[] = "double";
        CHECK(same(g(x, tx::key(static_cast<char const*>(text))), vec{2, 4}));
        text[0] = 't';
        CHECK(same(g(x, tx::key(static_cast<char const*>(text))), x));
        CHECK(g.tracing_count() == 2);
        CHECK(same(g(x, tx::key(std::string("double"))), vec{2, 4}));
        CHECK(same(g(x, tx::key(std::string("none"))), x));
        CHECK(same(g(x, tx::key("double")), vec{2, 4}));
        CHECK(g.tracing_count() == 4);
        CHECK(g.signatures()[0] == "(float32[2], \"double\") -> float32[2]");
    }
    SUBCASE("numbers and enums") {
        CHECK(same(g(x, tx::key(3)), vec{3, 6}));
        CHECK(same(g(x, tx::key(-3)), vec{-3, -6}));
        CHECK(same(g(x, tx::key(3)), vec{3, 6}));
        CHECK(same(g(x, tx::key(0.5)), vec{0.5f, 1}));
        CHECK(g.tracing_count() == 3);
        CHECK(same(g(x, tx::key(mode::mirrored)), vec{-1, -2}));
        CHECK(same(g(x, tx::key(mode::plain)), x));
        CHECK(g.tracing_count() == 5);
    }
    SUBCASE("anything that compares, within trees") {
        tx::function h{[](auto const& t) { return std::get<0>(t) + static_cast<float>(std::get<1>(t).size()); }};
        CHECK(same(h(std::tuple{x, tx::key(std::vector{1, 2})}), vec{3, 4}));
        CHECK(same(h(std::tuple{x, tx::key(std::vector{1, 3})}), vec{3, 4}));
        CHECK(same(h(std::tuple{x, tx::key(std::vector{1, 2})}), vec{3, 4}));
        CHECK(h.tracing_count() == 2);
    }
}

TEST_CASE("pytree: results") {
    vec const x{1, 2};
    SUBCASE("parameters handed through, one value twice, constants") {
        tx::function g{[](auto v) {
            auto const twice = v * 2;
            return std::tuple(v, twice, twice, 3, vec{5, 6}, std::tuple());
        }};
        auto const [a, b, c, d, e, f] = g(x);
        CHECK(same(a, x));
        CHECK(same(b, vec{2, 4}));
        CHECK(same(c, vec{2, 4}));
        CHECK(d.item() == 3);
        CHECK(same(e, vec{5, 6}));
        static_assert(std::is_same_v<decltype(f), std::tuple<> const>);
    }
    SUBCASE("arrays and pairs") {
        tx::function g{[](auto v) { return std::pair{std::array{v, v + 1}, tx::sum(v)}; }};
        auto const r = g(x);
        static_assert(std::is_same_v<decltype(r), std::pair<std::array<vec, 2>, tensor<float, shape<>>> const>);
        CHECK(same(r.first[1], vec{2, 3}));
        CHECK(r.second.item() == 3);
    }
    SUBCASE("structs") {
        auto const body = [](auto v) { return outputs{tx::sum(v), {v + 1, v}, 7}; };
        tx::function g{body};
        auto const r = g(x);
        static_assert(std::is_same_v<decltype(r), outputs const>);
        CHECK(r.loss.item() == 3);
        CHECK(same(r.gradients.first, vec{2, 3}));
        CHECK(r.steps == 7);
        tx::function late{body, tx::options{.jit = tx::jit::never}};
        CHECK(late(x).steps == 7);
        CHECK(same(late(x).gradients.second, x));
    }
    SUBCASE("run-time trace") {
        tx::function g{[](auto v) { return std::tuple(v, v * 2, 3, std::array{v, v}); }, tx::options{.jit = tx::jit::never}};
        auto const r = g(x);
        CHECK(same(std::get<0>(r), x));
        CHECK(std::get<2>(r).item() == 3);
        CHECK(same(std::get<3>(r)[1], x));
    }
}

TEST_CASE("pytree: a call without arguments") {
    tx::function z{[] { return tx::ones<float>(tx::shape<2>{}) * 2; }};
    CHECK(tx::equal(z(), tx::tensor<float, tx::shape<2>>{2, 2}));
}

TEST_CASE("pytree: an integral_constant in an op is the scalar") {
    using three = std::integral_constant<int, 3>;
    tx::tensor<float, tx::shape<2>> const x{1, 2};
    tx::function scaled{[](auto v, auto k) { return tx::where(v < k, k - v, v * decltype(k){}); }};
    static_assert(decltype(scaled)::is_static);
    CHECK(tx::equal(scaled(x, three{}), tx::tensor<float, tx::shape<2>>{2, 1}));
    CHECK(tx::equal(x * three{}, tx::tensor<float, tx::shape<2>>{3, 6}));
    CHECK(tx::equal(tx::maximum(std::integral_constant<int, 2>{}, tx::tensor<float>(x)), tx::tensor<float>{2, 2}));
    static_assert(std::is_same_v<decltype(tx::tensor<int>{} * three{}), tx::tensor<int>>);
}
