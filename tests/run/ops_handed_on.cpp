// This file tests ops on tensors outside of functions, which pass their recorder to the compiled library: repeated errors, traces
// and tapes, any rank, several threads at once, and evaluation by the compiler.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <thread>
#include <vector>

using tx::axis;
using tx::dyn;
using tx::shape;
using tx::tensor;

namespace {
using vec = tensor<float, shape<dyn>>;
using mat = tensor<float, shape<dyn, dyn>>;
using any = tensor<float>;
mat const m{{1, 2, 3}, {4, 5, 6}};
} // namespace

TEST_CASE("ops that are handed on: what throws keeps nothing") {
    for (int k = 0; k < 3; ++k) {
        CHECK_THROWS_AS(static_cast<void>(m + vec{1, 2}), tx::shape_error);
        CHECK_THROWS_WITH_AS(static_cast<void>(tx::matmul(m, m)), doctest::Contains("matmul"), tx::shape_error);
        CHECK_THROWS_AS(static_cast<void>(tx::reshape<4, 4>(vec{1, 2})), tx::shape_error);
        CHECK_THROWS_AS(static_cast<void>(tx::sum(any(m), axis<2>)), tx::shape_error);
        CHECK_THROWS_AS(static_cast<void>(tx::slice(any(m), tx::at<0>, tx::at<0>, tx::at<0>)), tx::shape_error);
        CHECK_THROWS_AS(static_cast<void>(tx::matmul(any(1.0f), any(m))), tx::shape_error);
        CHECK_THROWS_AS(static_cast<void>(tensor<std::uint8_t, shape<dyn>>{1, 2} + 300), tx::type_error);
        CHECK(tx::equal(m + vec{1, 2, 3}, mat{{2, 4, 6}, {5, 7, 9}}));
        CHECK(tx::equal(tx::sum(any(m), axis<1>), vec{6, 15}));
        CHECK(tx::equal(tx::matmul(any(m), any(vec{1, 0, 1})), vec{4, 10}));
        CHECK(tx::equal(tensor<std::uint8_t, shape<dyn>>{1, 2} < 300, tensor<bool, shape<dyn>>{true, true}));
    }
}
TEST_CASE("ops that are handed on: of any rank") {
    any const a = m;
    CHECK(tx::equal(tx::slice(a, tx::at<1>), vec{4, 5, 6}));
    CHECK(tx::equal(tx::slice(any(vec{7, 8, 9}), tx::range<1, 3>), vec{8, 9}));
    CHECK(tx::sum(a).item() == 21);
    CHECK(tx::max(a, tx::keepdims).dimensions() == tx::dims{{1, 1}, 2});
    CHECK(tx::argmax(a).item() == 5);
    CHECK(tx::equal(tx::argmax(a, axis<0>), tensor<std::int64_t, shape<dyn>>{1, 1, 1}));
    CHECK(tx::equal(tx::cumsum(a), vec{1, 3, 6, 10, 15, 21}));
    CHECK(tx::equal(tx::cumsum(a, axis<1>), mat{{1, 3, 6}, {4, 9, 15}}));
    CHECK(tx::equal(tx::transpose(a), mat{{1, 4}, {2, 5}, {3, 6}}));
    CHECK(tx::equal(tx::reshape<3, 2>(a), mat{{1, 2}, {3, 4}, {5, 6}}));
    CHECK(tx::equal(tx::sort(-a, axis<1>), mat{{-3, -2, -1}, {-6, -5, -4}}));
    CHECK(tx::any(a > 5).item());
    CHECK(!tx::all(a > 5).item());
    CHECK(tx::equal(tx::where(a > 2, a, 0), mat{{0, 0, 3}, {4, 5, 6}}));
    CHECK(tx::equal(tx::cast<std::int32_t>(a), tensor<std::int32_t, shape<2, 3>>{{1, 2, 3}, {4, 5, 6}}));
}
TEST_CASE("ops that are handed on: in traces, on symbols and on what is read at each run") {
    static mat held{{1, 2, 3}, {4, 5, 6}};
    tx::function const f{[n = 1](vec x) { // a tensor, which is symbolic while it is traced
        auto const [values, places] = tx::topk<2>(x * n, axis<0>);
        return tx::matmul(held, x) + tx::sum(values) + tx::cast<float>(tx::sum(places)) + tx::max(held, axis<1>);
    }};
    CHECK(tx::equal(f(vec{1, 0, 2}), vec{7 + 3 + 2 + 3, 16 + 3 + 2 + 6}));
    held(0, 0) = 5;
    CHECK(tx::equal(f(vec{1, 0, 2}), vec{11 + 3 + 2 + 5, 16 + 3 + 2 + 6}));
}
TEST_CASE("ops that are handed on: tapes differentiate them, of any rank too") {
    vec const x{1, 2, 3};
    tx::gradient_tape tape;
    tape.watch(x);
    auto const y = tx::sum(tx::exp(any(x)) * tx::slice(tx::cumsum(x, axis<0>), tx::range<>) + tx::max(x));
    auto const g = tape.gradient(y, x);
    // d/dx_j of sum_i exp(x_i) s_i + 3 max(x), s_i the sum up to i.
    double const e[]{std::exp(1.0), std::exp(2.0), std::exp(3.0)}, s[]{1, 3, 6};
    for (int j = 0; j < 3; ++j) {
        double wanted = e[j] * s[j] + (j == 2 ? 3 : 0);
        for (int i = j; i < 3; ++i) wanted += e[i];
        CHECK(static_cast<double>(g(j)) == doctest::Approx(wanted).epsilon(1e-5));
    }
}
TEST_CASE("ops that are handed on: the first calls of several threads at once") {
    std::vector<float> sums(4);
    std::vector<std::thread> threads;
    for (std::size_t k = 0; k < sums.size(); ++k)
        threads.emplace_back([&sums, k] {
            vec const x{1, 2, static_cast<float>(k)};
            sums[k] = tx::sum(tx::hypot(x, 0) + tx::minimum(any(x), 2)).item();
        });
    for (std::thread& t : threads) t.join();
    CHECK(sums == std::vector<float>{3 + 3, 4 + 4, 5 + 5, 6 + 5});
}
TEST_CASE("ops that are handed on: evaluated by the compiler") {
    constexpr auto total = tx::sum(tx::arange<std::int32_t, 150>(0) * 2 - 1);
    static_assert(total.item() == 22200);
    constexpr auto place = tx::argmax(tx::reshape<3, 50>(tx::arange<float, 150>(0)), axis<1>);
    static_assert(place(2) == 49);
    constexpr auto product = tx::matmul(tx::ones<double>(shape<3, 40>{}), tx::ones<double>(shape<40, 2>{}));
    static_assert(product(2, 1) == 40);
    constexpr auto part = tx::slice(tx::cumsum(tx::ones<std::int64_t>(shape<80>{})), tx::at<-1>);
    static_assert(part.item() == 80);
    tx::static_function const f{[](auto x) { return x + tx::sum(tx::sqrt(tx::arange<float, 900>(0))) * 0; }};
    CHECK(tx::equal(f(vec{1, 2}), vec{1, 2}));
}
