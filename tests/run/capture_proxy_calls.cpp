// This file tests functions that capture by tx::capture, and functions, branches and devices around them.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <functional>

using tx::dyn;
using tx::shape;
using tx::tensor;
using vec = tensor<float, shape<3>>;
using open_vec = tensor<float, shape<dyn>>;

namespace {

vec const given{1, 1, 2};
vec shared_weights{1, 2, 3};
tx::function shared{[w = tx::capture(shared_weights)](auto x) { return x * w; }};
constexpr tx::function fixed{[w = tx::capture(shared_weights)](auto x) { return x * w; }};

} // namespace

TEST_CASE("capture: branches") {
    vec w{1, 2, 3};
    float k = 2;
    tx::static_function f{[w = tx::capture(w), k = tx::capture(k)](auto x) {
        return tx::cond(tx::sum(x) > k, [&] { return x * w + tx::sum(w * w); }, [&] { return x - w; });
    }};
    CHECK(tx::equal(f(given), vec{15, 16, 20}));
    k = 10;
    CHECK(tx::equal(f(given), vec{0, -1, -1}));
    tx::function by_capture{[w = tx::capture(w), k = tx::capture(k)](auto x) {
        return tx::cond(tx::sum(w) > k, [&] { return x * w; }, [&] { return x - w; });
    }};
    CHECK(tx::equal(by_capture(given), vec{0, -1, -1}));
    k = 1;
    CHECK(tx::equal(by_capture(given), vec{1, 2, 6}));
}

TEST_CASE("capture: functions with captures inside of others") {
    vec w{5, 5, 5};
    shared_weights = vec{1, 2, 3};
    tx::static_function alone{[](auto x) { return shared(x) + 1; }};
    tx::static_function both{[w = tx::capture(w)](auto x) { return fixed(x) + shared(x) + w; }};
    CHECK(tx::equal(alone(given), vec{2, 3, 7}));
    CHECK(tx::equal(both(given), vec{7, 9, 17}));
    shared_weights = vec{1, 1, 1}, w = vec{};
    CHECK(tx::equal(alone(given), vec{2, 2, 3}));
    CHECK(tx::equal(both(given), vec{2, 2, 4}));
    tx::function outer{[&alone](auto x) { return x * alone(given); }};
    CHECK(tx::equal(outer(given), vec{2, 2, 6}));
    shared_weights = vec{0, 0, 0};
    CHECK(tx::equal(outer(given), given));
    CHECK(outer.tracing_count() == 1);
}

TEST_CASE("capture: a function with captures in a trace that is made at run time") {
    vec w{5, 5, 5};
    tx::function local{[w = tx::capture(w)](auto x) { return x * w; }};
    tx::function outer{[&local, k = 2](auto x) { return local(x) * k + local(given); }};
    CHECK(tx::equal(outer(given), vec{15, 15, 30}));
    w = vec{1, 1, 1};
    CHECK(tx::equal(outer(given), vec{3, 3, 6}));
    CHECK(outer.tracing_count() == 1);
}

TEST_CASE("capture: bind, std::ref, tx::on, signatures and concrete functions") {
    vec w{1, 2, 3}, b{1, 1, 1};
    auto const callable = [w = tx::capture(w)](auto x, auto c) { return x * w + c; };
    tx::function f{callable};
    auto bound = f.bind(b);
    auto placed = tx::on(tx::cpu{.threads = 2}, f);
    tx::static_function referring{std::ref(callable)};
    static_assert(decltype(bound)::is_static && decltype(placed)::is_static);
    auto const concrete = f.concrete<vec, vec>();
    tx::function typed{callable, tx::signature<tx::spec<float, shape<3>>, tx::spec<float, shape<3>>>{}};
    static_assert(decltype(typed)::is_static);
    auto const check = [&](vec const& expected) {
        CHECK(tx::equal(f(given, b), expected));
        CHECK(tx::equal(bound(given), expected));
        CHECK(tx::equal(placed(given, b), expected));
        CHECK(tx::equal(referring(given, b), expected));
        CHECK(tx::equal(concrete(given, b), expected));
        CHECK(tx::equal(typed({1, 1, 2}, b), expected));
    };
    check({2, 3, 7});
    w = vec{1, 1, 1}, b = vec{};
    check({1, 1, 2});
    CHECK(concrete.signature() == "(float32[3], float32[3]) -> float32[3]");
    CHECK(tx::graph_of<tx::spec<float, shape<3>>, vec>(callable).size() == 5);
}

TEST_CASE("capture: the result may be what is captured") {
    vec w{1, 2, 3};
    tx::static_function f{[w = tx::capture(w)](auto x) { return x * w + 1; }};
    f.into(w, given);
    CHECK(tx::equal(w, vec{2, 3, 7}));
    f.into(w, w);
    CHECK(tx::equal(w, vec{5, 10, 50}));
    open_vec open{1, 2, 3, 4};
    tx::static_function turned{[w = tx::capture(open)](auto x) { return tx::flip<0>(w) + x; }};
    turned.into(open, open_vec{0, 0, 0, 1});
    CHECK(tx::equal(open, open_vec{4, 3, 2, 2}));
    turned.into(open, 0.f);
    CHECK(tx::equal(open, open_vec{2, 2, 3, 4}));
}
