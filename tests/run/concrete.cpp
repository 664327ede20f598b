// This file tests concrete functions, and graphs without a call.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <functional>

using tx::any_shape;
using tx::dyn;
using tx::shape;
using tx::spec;
using tx::tensor;

namespace {

struct loss_fn {
    constexpr auto operator()(auto x, auto y) const { return tx::mean(tx::pow(x, 2) * 3 + y); }
};
struct layer {
    tensor<float, shape<2>> w{1, 2};
    constexpr auto operator()(auto x) const { return x * w; }
};
struct scaling_module {
    tx::variable<float, shape<2>> w{tensor<float, shape<2>>{2, 5}};
    constexpr auto operator()(auto x) const { return x * w; }
};
using row = spec<float, shape<1, 2>>;

bool same(auto const& a, auto const& b) { return tx::equal(a, b); }

} // namespace

TEST_CASE("concrete: the compiler's trace is a constant") {
    constexpr tx::static_function g{loss_fn{}};
    constexpr auto c = g.concrete<row, row>();
    static_assert(c.trace().size() >= c.graph().size());
    static_assert(c.graph().parameters.size() == 2 && c.graph().outputs.size() == 1);
    static_assert(tx::graph_of<row, row>(loss_fn{}).size() == c.graph().size());
    CHECK(c(tensor<float, shape<1, 2>>{{1, 2}}, tensor<float, shape<1, 2>>{{3, 4}}).item() == 11);
    CHECK(c.signature() == "(float32[1,2], float32[1,2]) -> float32[]");
    CHECK(c.graph().to_text().find("float32[1,2]") != std::string::npos);
    CHECK(c.graph().to_dot().find("digraph") != std::string::npos);
    CHECK(c.graph().to_json().find('{') == 0);
    std::size_t nodes = 0;
    for (auto const& n : c.graph()) nodes += n.arity <= 3;
    CHECK(nodes == c.graph().size());
}

TEST_CASE("concrete: constants are folded, shared values are one node, unused ones go") {
    constexpr auto g = tx::graph_of<spec<float, shape<4>>>([](auto x) {
        [[maybe_unused]] auto const unused = tx::exp(x);
        auto const twice = (x + 1) * (x + 1);
        return twice * (2 * 3.5f - 7 + 1);
    });
    static_assert(g.size() == 4); // x, 1, x + 1, its square
}

TEST_CASE("concrete: the graph is a constant also of a function that is none") {
    tx::function g{[](auto x, auto y) { return tx::mean(tx::pow(x, 2) * 3 + y); }};
    static_assert(g.concrete<row, row>().graph().size() == tx::graph_of<row, row>([](auto x, auto y) { return tx::mean(x * x * 3 + y); }).size());
    CHECK(g.tracing_count() == 0);
}

TEST_CASE("concrete: counts as a trace") {
    tx::function g{loss_fn{}};
    auto const c = g.concrete<row, row>();
    CHECK(g.tracing_count() == 1);
    g(tensor<float, shape<1, 2>>{{1, 2}}, tensor<float, shape<1, 2>>{{3, 4}});
    CHECK(g.tracing_count() == 1);
    g.clear();
    CHECK(c(tensor<float, shape<1, 2>>{{1, 2}}, tensor<float, shape<1, 2>>{{3, 4}}).item() == 11);
}

TEST_CASE("concrete: open extents, trees, types as arguments") {
    tx::function g{[](auto const& pair, auto n) { return pair.first * pair.second + decltype(n)::value; }};
    using open = tensor<float, shape<dyn>>;
    auto const c = g.concrete<std::pair<spec<float, shape<dyn>>, spec<float, shape<>>>, std::integral_constant<int, 3>>();
    CHECK(same(c(std::pair{open{1, 2}, tensor<float, shape<>>(2.f)}, {}), open{5, 7}));
    CHECK(c.signature() == "((float32[?], float32[]), 3) -> float32[?]");
}

TEST_CASE("concrete: functors keep or refer to their members") {
    layer l;
    tx::function copies{l};
    tx::function refers{std::ref(l)};
    auto const a = copies.concrete<spec<float, shape<2>>>();
    auto const b = refers.concrete<spec<float, shape<2>>>();
    l.w = {3, 4};
    tensor<float, shape<2>> const x{1, 1};
    CHECK(same(a(x), tensor<float, shape<2>>{1, 2}));
    CHECK(same(b(x), tensor<float, shape<2>>{3, 4}));
    tensor<float, shape<2>> w{5, 6};
    auto const c = tx::function{[](auto v, auto weights) { return v * weights; }}.bind(w).concrete<spec<float, shape<2>>>();
    w = {7, 8};
    CHECK(same(c(x), tensor<float, shape<2>>{7, 8}));
}

TEST_CASE("concrete: a trace made at run time, for unknown ranks too") {
    float const factor = 3;
    auto c = [&] {
        tx::function g{[factor](auto x) { return x * factor; }};
        auto out = g.concrete<spec<float, any_shape>>();
        CHECK(g.tracing_count() == 1);
        return out;
    }();
    CHECK(same(c(tensor<float>{1, 2}), tensor<float>{3, 6}));
    CHECK(same(c(tensor<float>{{1}, {2}}), tensor<float>{{3}, {6}}));
    CHECK(c.signature() == "(float32[...]) -> float32[...]");
    CHECK(c.graph().size() == c.trace().size());
    auto const g = tx::graph_of<spec<float, shape<dyn>>>([factor](auto x) { return x * factor; });
    CHECK(g.size() == 3);
    CHECK(g.to_text() == tx::graph_of<spec<float, shape<dyn>>>([](auto x) { return x * 3; }).to_text());
}

TEST_CASE("concrete: tapes see its calls") {
    float const factor = 3;
    auto const check = [](auto const& f) {
        auto const c = f.template concrete<spec<float, shape<2>>>();
        tensor<float, shape<2>> const x{1, 2};
        tx::gradient_tape tape{{.persistent = true}};
        tape.watch(x);
        auto const y = c(x);
        tensor<float, shape<2>> z;
        c.into(z, x);
        CHECK(same(tape.gradient(y, x), tensor<float, shape<2>>{6, 12}));
        CHECK(same(tape.gradient(z, x), tensor<float, shape<2>>{6, 12}));
        tx::forward_accumulator forward{{x, tensor<float, shape<2>>{1, 1}}};
        CHECK(same(forward.jvp(c(x)), tensor<float, shape<2>>{6, 12}));
    };
    check(tx::function{[](auto x) { return x * x * 3; }});
    check(tx::function{[factor](auto x) { return x * x * factor; }});
    check(tx::on(tx::cpu{2}, [](auto x) { return x * x * 3; }));
    SUBCASE("of a functor that is referred to, for its variables") {
        scaling_module module;
        auto const c = tx::function{std::ref(module)}.concrete<spec<float, shape<2>>>();
        tx::gradient_tape tape;
        CHECK(same(tape.gradient(c(tensor<float, shape<2>>{3, 4}), module.w), tensor<float, shape<2>>{3, 4}));
    }
}

TEST_CASE("concrete: a transform checks its arguments") {
    using open = spec<float, shape<dyn>>;
    float const one = 1;
    auto const check = [](auto const& f) {
        auto const c = f.template concrete<open, open>();
        CHECK(same(c(tensor<float, shape<dyn>>{1, 2}, tensor<float, shape<dyn>>{3, 4}), tensor<float, shape<dyn>>{4, 6}));
        CHECK_THROWS_WITH_AS(c(tensor<float, shape<dyn>>{1, 2}, tensor<float, shape<dyn>>{3}),
                             "tx: vmap: all mapped arguments must have one extent along their axes; given 2 and 1", tx::shape_error);
    };
    check(tx::function{tx::vmap([](auto a, auto b) { return a + b; })});
    check(tx::function{tx::vmap([one](auto a, auto b) { return a * one + b; })});
}

TEST_CASE("concrete: inside other traces, where it is live") {
    layer l;
    auto const c = tx::function{std::ref(l)}.concrete<spec<float, shape<2>>>();
    tensor<float, shape<2>> const x{1, 1};
    tx::variable<float, shape<2>> v{x};
    tx::function outer{[&](auto y) { return c(y) + c(x) + c(v); }};
    CHECK(same(outer(x), tensor<float, shape<2>>{3, 6}));
    l.w = {3, 4};
    CHECK(same(outer(x), tensor<float, shape<2>>{9, 12}));
    v.assign(tensor<float, shape<2>>{2, 2});
    CHECK(same(outer(x), tensor<float, shape<2>>{12, 16}));
    CHECK(outer.tracing_count() == 1);
    static constexpr auto doubled = tx::static_function{[](auto y) { return y * 2; }}.concrete<spec<float, shape<2>>>();
    tx::static_function fixed{[](auto y) { return doubled(y) + 1; }};
    CHECK(same(fixed(x), tensor<float, shape<2>>{3, 3}));
}

TEST_CASE("concrete: another key is another trace") {
    tx::function f{[](auto x, int power) {
        auto out = x;
        for (int k = 1; k < power; ++k) out = out * x;
        return out;
    }};
    auto const c = f.concrete<spec<float, shape<2>>, tx::key_value<int>>();
    tensor<float, shape<2>> const x{2, 3};
    CHECK(same(c(x, tx::key(3)), tensor<float, shape<2>>{8, 27}));
    CHECK(same(c(x, tx::key(2)), tensor<float, shape<2>>{4, 9}));
    CHECK(same(c(x, tx::key(0)), x));
}

TEST_CASE("spec_of: the result's spec, nothing computed") {
    static_assert(std::is_same_v<decltype(tx::spec_of<row, row>(loss_fn{})), spec<float, shape<>>>);
    auto const several = [](auto x) { return std::tuple(x, std::pair{tx::sum(x, tx::axis<0>), x > 0}); };
    static_assert(std::is_same_v<decltype(tx::spec_of<spec<double, shape<dyn, 3>>>(several)),
                                 std::tuple<spec<double, shape<dyn, 3>>, std::pair<spec<double, shape<3>>, spec<bool, shape<dyn, 3>>>>>);
    static_assert(std::is_same_v<decltype(tx::spec_of<row, row>(tx::function{loss_fn{}})), spec<float, shape<>>>);
}

TEST_CASE("concrete: many unknown extents") {
    using open = tx::tensor<float, tx::shape<tx::dyn, tx::dyn, tx::dyn, tx::dyn, tx::dyn, tx::dyn, tx::dyn, tx::dyn>>;
    tx::static_function f{[](auto x) { return tx::sum(x * x + 1); }};
    CHECK(f(open(tx::ones<float>(tx::shape<1, 2, 1, 3, 1, 1, 2, 1>{}))).item() == 24);
}
