// This file tests x.extent(i), x.size(), x.extents() and x.rank() inside a callable, which never give a number that isn't the
// extent. If the trace doesn't know it, the callable is traced for the call's extents, or the call throws.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

using tx::any_shape;
using tx::dyn;
using tx::shape;
using tx::tensor;

namespace {

using vec = tensor<float, shape<dyn>>;
using strings = std::vector<std::string>;
bool same(auto const& a, auto const& b) { return tx::equal(a, b); }

constexpr auto mean_of = [](auto x) { return tx::sum(x) / x.extent(0); };
// x0 + 2 x1 + 3 x2 + ...
constexpr auto weighted = [](auto x) {
    auto out = tx::sum(x) * 0;
    for (std::int64_t i = 0; i < x.extent(0); ++i) out = out + tx::sum(tx::take(x, tx::tensor<int, shape<1>>{static_cast<int>(i)}, tx::axis<0>)) * static_cast<float>(i + 1);
    return out;
};

} // namespace

TEST_CASE("x.extent: a callable that asks is traced for the extents of each call") {
    tx::function f{mean_of};
    CHECK(f(vec{1, 2, 3, 4}).item() == 2.5f);
    CHECK(f(vec{1, 2, 6}).item() == 3);
    CHECK(f(vec{4, 3, 2, 1}).item() == 2.5f);
    CHECK(f.signatures() == strings{"(float32[4]) -> float32[]", "(float32[3]) -> float32[]"});
    CHECK(f(tensor<float, shape<2>>{1, 2}).item() == 1.5f); // which the compiler traces
    CHECK(f(tensor<float>{1, 2, 3}).item() == 2);
    tx::function g{weighted};
    CHECK(g(vec{1, 2, 3, 4}).item() == 30);
    CHECK(g(vec{5, 6}).item() == 17);
    CHECK(g.tracing_count() == 2);
}

TEST_CASE("x.extent: of what is computed in such a trace") {
    tx::function f{[](auto x, auto y) {
        auto const z = tx::concat(tx::axis<0>, x * 2 + y, y);
        auto const m = tx::matmul(tx::expand_dims<1>(z), tx::expand_dims<0>(x));
        return tx::sum(m) * 0 + 1000 * z.extent(0) + 100 * m.extent(-1) + 10 * m.rank() + tx::sum(z).rank() + 0 * m.size() + static_cast<int>(m.extents()[0] == z.extent(0));
    }};
    CHECK(f(vec{1, 2, 3}, vec{1, 2, 3}).item() == 6321);
    CHECK(f(vec{1}, vec{1, 2, 3}).item() == 6121); // x is broadcast
    CHECK(f(vec{1, 2, 3}, vec{1}).item() == 4321);
}

TEST_CASE("x.extent: in derivatives and vmap, alone and in functions") {
    vec const x{1, 2, 3, 4};
    CHECK(same(tx::grad(mean_of)(x), vec{0.25, 0.25, 0.25, 0.25}));
    CHECK(same(tx::grad(weighted)(x), vec{1, 2, 3, 4}));
    CHECK(tx::jvp(weighted)(x, vec{0, 0, 1, 1}).second.item() == 7);
    tensor<float, shape<dyn, dyn>> const rows{{1, 2, 3}, {4, 5, 9}};
    CHECK(same(tx::vmap(mean_of)(rows), vec{2, 6}));
    CHECK(same(tx::vmap(weighted)(rows), vec{14, 41}));
    tx::function f{tx::vmap(tx::grad(weighted))};
    CHECK(same(f(rows), tensor<float>{{1, 2, 3}, {1, 2, 3}}));
    CHECK(same(tx::function{[](auto v) { return tx::function{mean_of}(v * 2) + tx::grad(mean_of)(v); }}(vec{1, 3}), vec{4.5, 4.5}));
}

TEST_CASE("x.extent: in traces of the program, with signatures and reduced retracing") {
    float const k = 2;
    tx::function f{[k](auto x) { return tx::sum(x) / x.extent(0) * k; }};
    CHECK(f(vec{1, 2, 3}).item() == 4);
    CHECK(f(vec{1, 2}).item() == 3);
    CHECK(f.signatures() == strings{"(float32[3]) -> float32[]", "(float32[2]) -> float32[]"});
    tx::function g{mean_of, tx::signature<tx::spec<float, any_shape>>{}};
    CHECK(g(tensor<float>{1, 2, 3}).item() == 2);
    CHECK(g(tensor<float>{{1, 3}}).item() == 4);
    tx::function h{mean_of, tx::signature<tx::spec<float, shape<dyn>>>{}};
    CHECK(h(vec{1, 2, 3}).item() == 2);
    tx::function r{[k](auto x) { return x * k + x.rank(); }, tx::options{.reduce_retracing = true}};
    CHECK(same(r(tensor<float>{1, 2}), tensor<float>{3, 5}));
    CHECK(same(r(tensor<float>{1}), tensor<float>{3}));
    CHECK(same(r(tensor<float>{1, 2, 3}), tensor<float>{3, 5, 7}));
    CHECK(r.tracing_count() == 2);
    CHECK(tx::function{[](auto x) { return tx::sum(x) + x.rank(); }, tx::signature<tx::spec<float, any_shape>>{}}(tensor<float>{{1, 2}}).item() == 5);
}

TEST_CASE("x.extent: in tapes, eager functions and fields of structs") {
    vec const x{1, 2, 3, 4};
    tx::function f{weighted};
    tx::gradient_tape tape;
    tape.watch(x);
    auto const y = f(x) / x.extent(0);
    CHECK(same(tape.gradient(y, x), vec{0.25, 0.5, 0.75, 1}));
    tx::run_eagerly(true);
    CHECK(f(x).item() == 30);
    tx::run_eagerly(false);
    struct batch {
        vec points;
    };
    tx::function g{[](auto const& b) { return tx::sum(b.points) / b.points.size(); }};
    CHECK(g(batch{{1, 2, 6}}).item() == 3);
    tx::function h{[](auto const& b) { return tx::zeros<float, shape<dyn>>(tx::extent<0>(b.points)) + b.points; }};
    CHECK(same(h(batch{{1, 2, 6}}), vec{1, 2, 6}));
}

TEST_CASE("x.extent: a trace that is made for no call says what to write") {
    auto const message = [](auto const& f) -> std::string {
        try {
            f();
        } catch (tx::trace_error const& e) {
            return e.what();
        }
        return "nothing thrown";
    };
    tx::function f{mean_of};
    std::string const said = message([&] { (void)f.concrete<tx::spec<float, shape<dyn>>>(); });
    CHECK(said.find("a value of shape (?,) has no number for an extent that only the run knows; write tx::extent<0>(x) or tx::size(x)") != std::string::npos);
    CHECK(message([&] { (void)tx::graph_of<tx::spec<float, any_shape>>([](auto x) { return x * x.rank(); }); }).find("shape (...)") != std::string::npos);
    CHECK(f.concrete<tx::spec<float, shape<2>>>()(tensor<float, shape<2>>{1, 2}).item() == 1.5f);
}

TEST_CASE("x.extent: an error of the callable's stays one") {
    tx::function f{[](auto x) { return tx::reshape<3, 2>(x * x.extent(0)); }};
    CHECK_THROWS_WITH_AS(f(vec{1, 2, 3}), "tx: reshape: the size must stay the same; given (3,), wanted (3, 2)", tx::shape_error);
    CHECK(same(f(vec{1, 2, 3, 4, 5, 6}), tensor<float>{{6, 12}, {18, 24}, {30, 36}}));
}
