// This file tests tx::function: calls, counts, signatures, options, nesting.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <iostream>

using tx::any_shape;
using tx::dyn;
using tx::shape;
using tx::tensor;

namespace {

struct loss_fn {
    template <class X, class Y> constexpr auto operator()(X x, Y y) const { return tx::mean(tx::pow(x, 2) * 3 + y); }
};
constexpr tx::function doubled{[](auto x) { return x * 2; }};
tx::function halved{[](auto x) { return x * 0.5f; }};
constexpr tx::static_function plus_one{[](auto x) { return x + 1; }};

template <class A, class B> bool same(A const& a, B const& b) { return tx::equal(a, b); }

} // namespace

TEST_CASE("function: the compiler traces it, and the result is the eager one") {
    tx::function g{loss_fn{}};
    static_assert(decltype(g)::is_static);
    tensor<float, shape<1, 2>> x{{1, 2}}, y{{3, 4}};
    auto r = g(x, y);
    static_assert(std::is_same_v<decltype(r), tensor<float, shape<>>>);
    CHECK(r.item() == 11);
    CHECK(same(r, loss_fn{}(x, y)));
    CHECK(g.tracing_count() == 1);
    CHECK(g.signatures() == std::vector<std::string>{"(float32[1,2], float32[1,2]) -> float32[]"});
    g(y, x);
    CHECK(g.tracing_count() == 1);
}

TEST_CASE("function: one trace for each dtype and shape type") {
    tx::function g{loss_fn{}};
    g(tensor<float, shape<2>>{1, 2}, 1);
    g(tensor<double, shape<2>>{1, 2}, 1);
    g(tensor<float, shape<3>>{1, 2, 3}, 1);
    g(tensor<float, shape<dyn>>{1, 2, 3}, 1);
    g(tensor<float, shape<dyn>>{1, 2, 3, 4}, 2);
    g(tensor<float, shape<2>>{1, 2}, 2);
    CHECK(g.signatures() == std::vector<std::string>{"(float32[2], weak int32[]) -> float32[]", "(float64[2], weak int32[]) -> float64[]", "(float32[3], weak int32[]) -> float32[]",
                                                     "(float32[?], weak int32[]) -> float32[]"});
    g.clear();
    CHECK(g.tracing_count() == 0);
    CHECK(g.signatures().empty());
    g(tensor<float, shape<2>>{1, 2}, 1);
    CHECK(g.tracing_count() == 1);
}

TEST_CASE("function: objects share neither traces nor counts") {
    tx::function g{loss_fn{}};
    g(tensor<float, shape<2>>{1, 2}, 1);
    tx::function h = g;
    CHECK(h.tracing_count() == 0);
    h(tensor<float, shape<2>>{1, 2}, 1);
    h(tensor<float, shape<3>>{1, 2, 3}, 1);
    CHECK(g.tracing_count() == 1);
    CHECK(h.tracing_count() == 2);
}

TEST_CASE("function: scalars are tensors of rank 0, one trace for all values") {
    tx::function g{[](auto a, auto b) { return tx::exp(a) * b; }};
    CHECK(g(0.0, 3.0).item() == 3);
    CHECK(g(0.0, 4.0).item() == 4);
    CHECK(g.tracing_count() == 1);
    static_assert(std::is_same_v<decltype(g(0.f, 2)), tensor<float, shape<>>>);
    // Weak, as the scalar itself is: the tensor's dtype stays.
    static_assert(std::is_same_v<decltype(g(tensor<float, shape<2>>{}, 2.0)), tensor<float, shape<2>>>);
    CHECK(same(g(tensor<float, shape<2>>{0, 0}, 2.5), tensor<float, shape<2>>{2.5f, 2.5f}));
}

TEST_CASE("function: extents and even ranks that are known only at run time") {
    tx::function g{[](auto x, auto y) { return tx::sum(x * y + 1, tx::axis<0>); }};
    SUBCASE("extents") {
        tensor<float, shape<dyn, 2>> a{{1, 2}, {3, 4}, {5, 6}};
        CHECK(same(g(a, tensor<float, shape<2>>{1, 10}), tensor<float, shape<2>>{12, 123}));
        CHECK(same(g(tensor<float, shape<dyn, 2>>{{1, 2}}, tensor<float, shape<2>>{1, 10}), tensor<float, shape<2>>{2, 21}));
        CHECK(g.tracing_count() == 1);
    }
    SUBCASE("ranks: one trace for each shape") {
        tensor<float> a = {{1, 2}, {3, 4}, {5, 6}};
        CHECK(same(g(a, tensor<float>{1, 10}), tensor<float>{12, 123}));
        CHECK(same(g(a, tensor<float>{1, 10}), tensor<float>{12, 123}));
        CHECK(same(g(tensor<float>{1, 2}, 3), tensor<float>(11.f)));
        CHECK(g.signatures() == std::vector<std::string>{"(float32[3,2], float32[2]) -> float32[2]", "(float32[2], weak int32[]) -> float32[]"});
    }
}

TEST_CASE("function: loops and choices of the callable shape the graph") {
    tx::function g{[](auto x, auto n) {
        auto y = x;
        for (int i = 1; i < decltype(n)::value; ++i) y = y * x;
        if constexpr (decltype(n)::value > 2) return y;
        else return y + 1;
    }};
    tensor<float, shape<2>> x{2, 3};
    CHECK(same(g(x, std::integral_constant<int, 3>{}), tensor<float, shape<2>>{8, 27}));
    CHECK(same(g(x, std::integral_constant<int, 2>{}), tensor<float, shape<2>>{5, 10}));
    CHECK(g.signatures() == std::vector<std::string>{"(float32[2], 3) -> float32[2]", "(float32[2], 2) -> float32[2]"});
}

TEST_CASE("function: functions within functions become one graph") {
    auto const inner = tx::function{[](auto x) { return x + 1; }};
    SUBCASE("at namespace scope: traced by the compiler") {
        tx::static_function outer{[](auto x) { return doubled(x) + halved(plus_one(x)); }};
        tensor<float, shape<2>> x{1, 3};
        CHECK(same(outer(x), tensor<float, shape<2>>{3, 8}));
        CHECK(outer.tracing_count() == 1);
        CHECK(halved.tracing_count() == 0);
        constexpr auto c = tx::static_function{[](auto p) { return doubled(doubled(p)); }}.concrete<tx::spec<float, shape<2>>>();
        static_assert(c.graph().size() == tx::graph_of<tx::spec<float, shape<2>>>([](auto p) { return p * 2 * 2; }).size());
    }
    SUBCASE("captured: traced at run time") {
        tx::function outer{[&](auto x) { return inner(x) * inner(x + 1); }};
        CHECK(same(outer(tensor<float, shape<2>>{1, 2}), tensor<float, shape<2>>{6, 12}));
        CHECK(inner.tracing_count() == 0);
    }
    SUBCASE("scalars and keys within the trace") {
        static constexpr tx::function power{[](auto x, auto n) { return tx::exp(n) * x; }};
        tx::function outer{[](auto x) { return power(x, 0.0); }};
        CHECK(same(outer(tensor<float, shape<2>>{1, 2}), tensor<float, shape<2>>{1, 2}));
    }
}

TEST_CASE("function: options") {
    tensor<float, shape<2>> x{1, 2};
    SUBCASE("never: the same results from a trace at run time") {
        tx::function g{loss_fn{}, tx::options{.jit = tx::jit::never}};
        CHECK(same(g(x, 1), tx::function{loss_fn{}}(x, 1)));
        tensor<float, shape<>> out;
        g.into(out, x, 1);
        CHECK(out.item() == g(x, 1).item());
        CHECK(g.tracing_count() == 1);
    }
    SUBCASE("always: an error where that can't be") {
        tx::function good{loss_fn{}, tx::options{.jit = tx::jit::always}};
        CHECK(good(x, 1).item() == 8.5f);
        float const offset = 2;
        tx::function bad{[offset](auto v) { return v + offset; }, tx::options{.jit = tx::jit::always}};
        CHECK_THROWS_AS(bad(x), tx::trace_error);
        CHECK(bad.tracing_count() == 0);
    }
}

TEST_CASE("function: callables without results, and what they do, happen while they are traced") {
    int calls = 0;
    tx::function g{[&](auto) { ++calls; }};
    static_assert(std::is_same_v<decltype(g(1.f)), tx::detail::nothing>); // a value that says so where it is used
    g(tensor<float>{1, 2});
    g(tensor<float>{3, 4});
    CHECK(calls == 1);
    CHECK(g.signatures() == std::vector<std::string>{"(float32[2]) -> ()"});
    tx::function silent{[](auto) {}};
    silent(tensor<float, shape<2>>{1, 2});
    CHECK(silent.tracing_count() == 1);
}

TEST_CASE("function: a callable that prints is traced at run time, once") {
    int printed = 0;
    auto const print = [&](auto x) {
        ++printed;
        std::clog << "";
        return x + 1;
    };
    tx::function g{print};
    static_assert(!decltype(g)::is_static);
    CHECK(same(g(tensor<float, shape<2>>{1, 2}), tensor<float, shape<2>>{2, 3}));
    g(tensor<float, shape<2>>{1, 2});
    CHECK(printed == 1);
    // No capture: its form says static, the trace decides.
    tx::function h{[](auto x) {
        std::clog << "";
        return x + 1;
    }};
    CHECK(same(h(tensor<float, shape<2>>{1, 2}), tensor<float, shape<2>>{2, 3}));
    CHECK(h.tracing_count() == 1);
}
