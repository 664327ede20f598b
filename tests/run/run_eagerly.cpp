// This file tests tx::run_eagerly: callables that run at each call, and see values.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <sstream>

using tx::dyn;
using tx::shape;
using tx::tensor;

namespace {

struct eager_calls {
    eager_calls() { tx::run_eagerly(true); }
    ~eager_calls() { tx::run_eagerly(false); }
};

} // namespace

TEST_CASE("run_eagerly: callables run at each call, with equal results and no traces") {
    int calls = 0;
    tx::function g{[&](auto x, auto name, auto const& tree) {
        ++calls;
        return std::pair{x * std::get<0>(tree), name == "negative" ? -x : x};
    }};
    tx::function fixed{[](auto x, auto y) { return tx::mean(tx::pow(x, 2) * 3 + y); }};
    tensor<float, shape<2>> x{1, 2};
    auto const tree = std::tuple{2.f, tensor<float>{1, 2}};
    auto const traced = g(x, tx::key("negative"), tree);
    tx::run_eagerly(true);
    auto const first = g(x, tx::key("negative"), tree), second = g(x, tx::key("negative"), tree);
    CHECK(fixed(x, 1).item() == 8.5f);
    tx::run_eagerly(false);
    CHECK(calls == 3);
    CHECK(g.tracing_count() == 1);
    CHECK(tx::equal(first.first, traced.first));
    CHECK(tx::equal(first.second, traced.second));
    CHECK(tx::equal(second.second, tensor<float, shape<2>>{-1, -2}));
}

TEST_CASE("run_eagerly: the callable can print and read its values") {
    std::ostringstream shown;
    tensor<float, shape<2>> const kept{10, 20};
    tx::function g{[&](auto x, auto scale) {
        auto const y = x * scale + kept;
        shown << x << scale << y << '\n';
        return tx::sum(y);
    }};
    tensor<float, shape<dyn>> const x{1, 2};
    g(x, 2.f);
    CHECK(shown.str() == "float32[?]float32[]float32[2]\n");
    eager_calls const debugging;
    shown.str("");
    CHECK(g(x, 2.f).item() == 36);
    CHECK(g(x, 3.f).item() == 39);
    CHECK(shown.str() == "[1. 2.]2.0[12. 24.]\n[1. 2.]3.0[13. 26.]\n");

    SUBCASE("values steer what is computed") {
        tx::function halved{[](auto y) {
            tensor<double, shape<>> at = y;
            int steps = 0;
            for (; at.item() > 1; ++steps) at = at / 2;
            auto const last = tx::square(at);
            return std::pair{last.item() < 0.5 ? last : last + 1, at * steps};
        }};
        auto const [last, product] = halved(12.0);
        CHECK(last.item() == 1.5625);
        CHECK(product.item() == 3);
        auto const [small, none] = halved(0.5);
        CHECK(small.item() == 0.25);
        CHECK(none.item() == 0);
    }
    SUBCASE("a symbolic tensor that is written is a constant") {
        tx::function raised{[](auto y) {
            tensor<float, shape<2>> at = y * 2;
            at.mutable_data()[0] += 100;
            return at + y;
        }};
        CHECK(tx::equal(raised(tensor<float, shape<2>>{1, 2}), tensor<float, shape<2>>{103, 6}));
    }
    SUBCASE("within gradients, and in functions inside functions") {
        tx::function cube{[&](auto y) {
            shown << y.item();
            return y * y * y;
        }};
        tx::function outer{[&](auto y) { return cube(y + 1); }};
        shown.str("");
        CHECK(tx::grad(outer)(2.0).item() == 27);
        CHECK(tx::grad(tx::grad(cube))(2.0).item() == 12);
        CHECK(shown.str() == "32");
    }
    SUBCASE("members, strings, empty tensors, unknown ranks") {
        tx::function show{[&](auto name, auto none, auto any) {
            shown << name.item() << none.value().size() << any.value().rank();
            return any;
        }};
        shown.str("");
        show(tensor<std::string, shape<>>("a"), tensor<float, shape<0, 3>>{}, tensor<int>{{1, 2}});
        CHECK(shown.str() == "a02");
    }
    SUBCASE("one example of many has no value") {
        tx::function each{tx::vmap([](auto y) { return y * (y.item() > 0 ? 1.f : 2.f); })};
        CHECK_THROWS_WITH_AS(each(x), "tx: value: inside the callable that tx::vmap maps, a value stands for many examples; read it outside of that callable", tx::trace_error);
    }
}

TEST_CASE("reading a value while it is traced: trace_error") {
    tx::function item{[](auto x) { return x.item() > 0 ? x : -x; }};
    CHECK_THROWS_WITH_AS(item(1.f), "tx: item: a symbolic tensor has no values while it is traced; return it from the callable, or compute with it (tx::where instead of if), and read the result",
                         tx::trace_error);
    tx::function value{[](auto x) { return x + x.value().size(); }};
    CHECK_THROWS_AS(value(tensor<float, shape<2>>{1, 2}), tx::trace_error);
    eager_calls const debugging;
    CHECK(item(-1.f).item() == 1);
    CHECK(tx::equal(value(tensor<float, shape<2>>{1, 2}), tensor<float, shape<2>>{3, 4}));
}
