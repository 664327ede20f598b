// This file tests tx::capture in callables that are traced at run time, or run eagerly; from several threads.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <thread>
#include <vector>

using tx::dyn;
using tx::shape;
using tx::tensor;
using vec = tensor<float, shape<3>>;
using open_vec = tensor<float, shape<dyn>>;
using open_rank = tensor<float>;

namespace {

vec const given{1, 1, 2};
struct dense {
    vec weights, bias;
    constexpr auto operator()(auto x) const { return x * weights + bias; }
};

} // namespace

TEST_CASE("capture: traced at run time it means the same") {
    vec w{1, 2, 3};
    double k = 2;
    dense layer{{1, 1, 1}, {1, 2, 3}};
    tx::variable v{vec{1, 1, 1}};
    auto const callable = [w = tx::capture(w), k = tx::capture(k), layer = tx::capture(layer), v = tx::capture(v),
                           own = tx::capture(vec{1, 1, 1})](auto x) {
        return layer(x * w * k) + v + tx::sum(w * k) * own - (own + own);
    };
    tx::function f{callable, tx::options{.jit = tx::jit::never}};
    tx::static_function g{callable};
    CHECK(tx::equal(f(given), vec{14, 17, 26}));
    CHECK(tx::equal(g(given), vec{14, 17, 26}));
    w = vec{0, 0, 1}, k = 1, layer.bias = vec{};
    v.assign(vec{2, 2, 2});
    CHECK(tx::equal(f(given), vec{1, 1, 3}));
    CHECK(tx::equal(g(given), vec{1, 1, 3}));
    CHECK(f.tracing_count() == 1);
    auto const copy = f;
    CHECK(copy.tracing_count() == 0);
    CHECK(tx::equal(copy(given), vec{1, 1, 3}));
    tx::run_eagerly(true);
    CHECK(tx::equal(f(given), vec{1, 1, 3}));
    tx::run_eagerly(false);
}

TEST_CASE("capture: values are there while functions run eagerly, and only then") {
    vec w{1, 2, 3};
    double k = 2, seen = 0;
    tx::function f{[w = tx::capture(w), k = tx::capture(k), &seen](auto x) {
        seen = k.item() + w(1) + w.value()(2);
        return x * k;
    }};
    CHECK_THROWS_AS(f(given), tx::trace_error);
    tx::run_eagerly(true);
    CHECK(tx::equal(f(given), vec{2, 2, 4}));
    tx::run_eagerly(false);
    CHECK(seen == 7);
}

TEST_CASE("capture: tensors of open rank, captured or given") {
    open_rank w{1, 2, 3};
    tx::function f{[w = tx::capture(w)](auto x) { return x * w; }};
    static_assert(!decltype(f)::is_static);
    CHECK(tx::equal(f(given), vec{1, 2, 6}));
    w = open_rank{2, 2, 2};
    CHECK(tx::equal(f(given), vec{2, 2, 4}));
    CHECK(f.tracing_count() == 1);
    w = open_rank(tensor<float, shape<>>(3.f));
    CHECK(tx::equal(f(given), vec{3, 3, 6}));
    vec known{1, 2, 3};
    tx::function g{[w = tx::capture(known)](auto x) { return x * w; }};
    CHECK(tx::equal(g(open_rank{1, 1, 2}), vec{1, 2, 6}));
    known = vec{1, 1, 1};
    CHECK(tx::equal(g(open_rank{1, 1, 2}), given));
    tx::function typed{[w = tx::capture(known)](auto x) { return x * w; }, tx::signature<tx::spec<float, tx::any_shape>>{}};
    CHECK(tx::equal(typed({1, 1, 2}), given));
}

TEST_CASE("capture: in lambdas that are made while another is traced") {
    vec w{1, 2, 3};
    double k = 2;
    tx::function f{[&w, &k, factor = 1](auto x) {
        auto const inner = [w = tx::capture(w), k = tx::capture(k), ones = tx::capture(vec{1, 1, 1}),
                            n = tx::capture(3.f)](auto y) { return y * w * k + ones * n; };
        tx::function g{inner};
        return inner(x) + g(x) * factor + tx::grad([&](auto z) { return tx::sum(inner(z)); })(x);
    }};
    CHECK(tx::equal(f(given), vec{4 + 6 + 2, 8 + 6 + 4, 24 + 6 + 6}));
    w = vec{1, 1, 1}, k = 1;
    CHECK(tx::equal(f(given), vec{2 + 6 + 1, 2 + 6 + 1, 4 + 6 + 1}));
    CHECK(f.tracing_count() == 1);
}

TEST_CASE("capture: a concrete function outlives the function that owned what it captured") {
    auto const [c, d] = [] {
        tx::function f{[w = tx::capture(vec{1, 2, 3})](auto x) { return x * w; }, tx::options{.jit = tx::jit::never}};
        tx::function g{[w = tx::capture(open_vec{1, 2, 3}), k = 1](auto x) { return x * w * k; }};
        static_cast<void>(g(given));
        return std::pair(f.concrete<vec>(), g.concrete<vec>());
    }();
    CHECK(tx::equal(c(given), vec{1, 2, 6}));
    CHECK(tx::equal(d(given), open_vec{1, 2, 6}));
}

TEST_CASE("capture: from several threads") {
    vec w{1, 2, 3};
    auto const callable = [w = tx::capture(w), ones = tx::capture(vec{1, 1, 1})](auto x) { return x * w + ones; };
    tx::function f{callable};
    tx::function g{callable, tx::options{.jit = tx::jit::never}};
    std::atomic<int> wrong = 0;
    std::vector<std::thread> all;
    for (int t = 0; t < 4; ++t)
        all.emplace_back([&] {
            for (int k = 0; k < 100; ++k) {
                auto const copy = f;
                bool const right = tx::equal(f(given), vec{2, 3, 7}) && tx::equal(copy(given), vec{2, 3, 7}) &&
                                   tx::equal(g(given), vec{2, 3, 7});
                wrong += !right;
            }
        });
    for (std::thread& t : all) t.join();
    CHECK(wrong == 0);
    CHECK(g.tracing_count() == 1);
}
