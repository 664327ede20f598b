// This file tests tx::capture in lambdas that stay static.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

using tx::dyn;
using tx::shape;
using tx::tensor;
using vec = tensor<float, shape<3>>;
using matrix = tensor<float, shape<3, 3>>;
using open_vec = tensor<float, shape<dyn>>;

namespace {

vec const given{1, 1, 2};
matrix times(float by) { return by * tensor<float, shape<3, 3>>(tx::eye<float>(shape<3, 3>{})); }

} // namespace

TEST_CASE("capture: a lambda that captures by it is static, and reads the tensor at each call") {
    vec w{1, 2, 3};
    tx::function f{[w = tx::capture(w)](auto x) { return x * w; }};
    static_assert(decltype(f)::is_static);
    CHECK(tx::equal(f(given), vec{1, 2, 6}));
    w = vec{2, 2, 2};
    CHECK(tx::equal(f(given), vec{2, 2, 4}));
    w.mutable_data()[2] = 0;
    CHECK(tx::equal(f(given), vec{2, 2, 0}));
    CHECK(f.tracing_count() == 1);
    CHECK(f.signatures()[0] == "(float32[3]) -> float32[3]");
    static_assert(decltype(f.concrete<vec>())::graph().size() == 3);
}

TEST_CASE("capture: two of one type are told apart") {
    vec a{1, 2, 3}, b{10, 20, 30};
    tx::static_function f{[a = tx::capture(a), b = tx::capture(b)](auto x) { return x * b - a; }};
    CHECK(tx::equal(f(given), vec{9, 18, 57}));
    std::swap(a, b);
    CHECK(tx::equal(f(given), vec{-9, -18, -24}));
    tx::static_function same{[a = tx::capture(a), b = tx::capture(a)](auto x) { return x * b - a; }};
    CHECK(tx::equal(same(given), vec{0, 0, 30}));
    tx::static_function unused{[a = tx::capture(a), b = tx::capture(b)](auto x) { return x + 0 * sizeof(a) * sizeof(b); }};
    CHECK(tx::equal(unused(given), given));
}

TEST_CASE("capture: ops of captures alone are part of the graph") {
    matrix w{{1, 2, 3}, {4, 5, 6}, {7, 8, 10}};
    float k = 2;
    tx::static_function f{[w = tx::capture(w), k = tx::capture(k)](auto x) {
        auto const scaled = w * k;
        auto const low = tx::sum(w * w), high = tx::sum(scaled * 0);
        return tx::matmul(x, tx::matrix_transpose(w)) + low + high + tx::max(scaled, tx::axis<0>);
    }};
    CHECK(tx::equal(f(given), vec{9 + 304 + 14, 21 + 304 + 16, 35 + 304 + 20}));
    w = times(1), k = 1;
    CHECK(tx::equal(f(given), vec{1 + 3 + 1, 1 + 3 + 1, 2 + 3 + 1}));
}

TEST_CASE("capture: extents that only the run knows are those of each call") {
    open_vec w{1, 2, 3};
    tensor<float, shape<dyn, 3>> rows{{1, 2, 3}};
    tx::static_function f{[w = tx::capture(w), rows = tx::capture(rows)](auto x) { return tx::sum(x * w + rows); }};
    CHECK(f(open_vec{1, 1, 1}).item() == 12);
    w = open_vec{3, 3, 3}, rows = {{1, 2, 3}, {1, 2, 3}};
    CHECK(f(open_vec{1, 1, 1}).item() == 30);
    tx::static_function g{[w = tx::capture(w)](auto x) { return x * tx::sum(tx::relu(w) * 2); }};
    CHECK(g(2.f).item() == 36);
    w = open_vec{1, 2, 3, 4};
    CHECK(g(2.f).item() == 40);
    CHECK(g.tracing_count() == 1);
    CHECK_THROWS_AS(f(open_vec{1, 1, 1}), tx::shape_error);
}

TEST_CASE("capture: extents that types tell are constants of the graph") {
    matrix w = times(2);
    tx::static_function f{[w = tx::capture(w)](auto x) {
        static_assert(decltype(w)::static_dims()[0] == 3);
        for (std::int64_t k = 0; k < w.extent(0); ++k) x = tx::matmul(x, w);
        return tx::reshape<3, 1>(x) + tx::zeros_like(w) + static_cast<float>(w.rank() + w.size());
    }};
    CHECK(f(given)(2, 0) == 16 + 11);
}

TEST_CASE("capture: C++ numbers are live scalars without a dtype of their own") {
    double k = 2;
    int n = 3;
    float const c = 4;
    tx::static_function f{[k = tx::capture(k), n = tx::capture(n), c = tx::capture(c)](auto x) { return x * k + n * x - c; }};
    static_assert(std::is_same_v<decltype(f(given)), vec>);
    CHECK(tx::equal(f(given), vec{1, 1, 6}));
    k = 3, n = 0;
    CHECK(tx::equal(f(given), vec{-1, -1, 2}));
    tx::static_function g{[k = tx::capture(2.5)](auto x) { return x * k; }};
    CHECK(tx::equal(g(given), vec{2.5, 2.5, 5}));
    tensor<int, shape<2>> const whole{1, 2};
    CHECK(tx::equal(g(whole), tensor<double, shape<2>>{2.5, 5}));
}

TEST_CASE("capture: variables") {
    tx::variable v{vec{1, 2, 3}};
    tx::static_function f{[v = tx::capture(v)](auto x) { return x * v + tx::sum(v); }};
    CHECK(tx::equal(f(given), vec{7, 8, 12}));
    v.assign(vec{1, 1, 1});
    CHECK(tx::equal(f(given), vec{4, 4, 5}));
}

TEST_CASE("capture: lambdas that capture anything else beside it are traced at run time, with the same meaning") {
    vec w{1, 2, 3};
    tx::function f{[w = tx::capture(w), k = 3](auto x) { return x * w * k; }};
    static_assert(!decltype(f)::is_static);
    CHECK(tx::equal(f(given), vec{3, 6, 18}));
    w = vec{1, 1, 1};
    CHECK(tx::equal(f(given), vec{3, 3, 6}));
    auto const small = [w = tx::capture(w), k = static_cast<unsigned char>(3)](auto x) { return x * w * k; };
    auto const pointing = [w = tx::capture(w), k = &w](auto x) { return x * w * *k; };
    auto const copying = [w = tx::capture(w), k = w](auto x) { return x * w * k; };
    auto const copying_alone = [k = w](auto x) { return x * k; };
    auto const referring = [w = tx::capture(w), &k = w](auto x) { return x * w * k; };
    static_assert(!tx::function<decltype(small)>::is_static && !tx::function<decltype(pointing)>::is_static);
    static_assert(!tx::function<decltype(copying)>::is_static && !tx::function<decltype(copying_alone)>::is_static);
    static_assert(!tx::function<decltype(referring)>::is_static);
}
