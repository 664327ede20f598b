// This file tests rows with strides: the usual steps are read by whole vectors, which must not reach beyond the elements.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace {

template <class T> using vector = tx::tensor<T, tx::shape<tx::dyn>>;

// As many elements as a row needs, the last of them the last of its memory: a sanitizer sees what is read behind it.
template <class T> vector<T> counted(std::int64_t n) {
    auto out = vector<T>::uninitialized(tx::dims{{n}, 1});
    T* const to = out.mutable_data();
    for (std::int64_t i = 0; i < n; ++i) to[i] = static_cast<T>(i % 101);
    return out;
}

template <class T, class F> void check_steps(F const& f, std::int64_t first, std::int64_t step) {
    for (std::int64_t n = 1; n <= 150; ++n) {
        auto const x = counted<T>(n);
        vector<T> const y = f(x);
        std::int64_t const start = step < 0 ? n - 1 : first;
        std::int64_t const count = step < 0 ? n : start < n ? (n - start + step - 1) / step : 0;
        REQUIRE(y.size() == count);
        std::int64_t wrong = 0;
        for (std::int64_t i = 0; i < count; ++i) wrong += y(i) != static_cast<T>(x(start + i * step) + 1);
        CHECK(wrong == 0);
    }
}

} // namespace

TEST_CASE_TEMPLATE("rows that skip elements", T, float, double, std::int8_t, std::int32_t) {
    check_steps<T>(tx::function{[](auto x) { return tx::slice(x, tx::range<tx::open, tx::open, 2>) + T(1); }}, 0, 2);
    check_steps<T>(tx::function{[](auto x) { return tx::slice(x, tx::range<1, tx::open, 3>) + T(1); }}, 1, 3);
    check_steps<T>(tx::function{[](auto x) { return tx::slice(x, tx::range<2, tx::open, 5>) + T(1); }}, 2, 5);
    check_steps<T>(tx::function{[](auto x) { return tx::flip(x, tx::axis<0>) + T(1); }}, 0, -1);
}

TEST_CASE("rows of which one skips elements and one doesn't, of different steps, and of long programs") {
    tx::function mixed{[](auto x, auto y) { return tx::slice(x, tx::range<tx::open, tx::open, 2>) * tx::slice(y, tx::range<tx::open, tx::open, 3>); }};
    tx::function deep{[](auto x) { return tx::log(tx::exp(tx::tanh(tx::slice(x, tx::range<tx::open, tx::open, 2>)))); }};
    tx::function total{[](auto x) { return tx::sum(tx::slice(x, tx::range<tx::open, tx::open, 2>)); }};
    for (std::int64_t n : {1, 5, 16, 17, 40, 63, 64, 65, 200, 1003}) {
        auto const x = counted<float>(2 * n - 1), y = counted<float>(3 * n - 2);
        auto const product = mixed(x, y);
        auto const curve = deep(x);
        float sum = 0, difference = 0, bend = 0;
        for (std::int64_t i = 0; i < n; ++i) {
            difference += std::abs(product(i) - x(2 * i) * y(3 * i));
            bend = std::max(bend, std::abs(curve(i) - std::tanh(x(2 * i))));
            sum += x(2 * i);
        }
        CHECK(difference == 0);
        CHECK(bend < 1e-6f); // a few roundings of numbers up to 1
        CHECK(total(x).item() == sum); // whole numbers below 2^24: exact
    }
}

TEST_CASE("rows that begin elsewhere than the compiler supposed") {
    // Of the extent that the compiler assumes there are no 70,000 last elements: the row begins with the tensor.
    tx::function last{[](auto x) { return tx::slice(x, tx::range<-70'000, tx::open>) + 1; }};
    tx::function sum{[](auto x) { return tx::sum(tx::slice(x, tx::range<-70'000, tx::open>)); }};
    for (std::int64_t n : {100'000, 100'000, 50'000, 90'001}) {
        auto const x = counted<std::int32_t>(n);
        std::int64_t const count = std::min<std::int64_t>(n, 70'000);
        vector<std::int32_t> out;
        std::int32_t total = 0;
        for (int times = 0; times < 2; ++times) last.into(out, x);
        REQUIRE(out.size() == count);
        std::int64_t wrong = 0;
        for (std::int64_t i = 0; i < count; ++i) wrong += out(i) != x(n - count + i) + 1, total += x(n - count + i);
        CHECK(wrong == 0);
        CHECK(sum(x).item() == total);
        CHECK(tx::equal(tx::on(tx::cpu{.threads = 2}, [](auto v) { return v + 1; })(out), out + 1));
    }
}

TEST_CASE("results too large for the caches") {
    std::int64_t const n = (std::int64_t{8} << 20) + 40037; // 32 MiB and an uneven end
    auto const x = counted<float>(n);
    auto check = [&](vector<float> const& y) {
        std::int64_t wrong = 0;
        for (std::int64_t i = 0; i < n; ++i) wrong += y(i) != static_cast<float>(x(i) + 1);
        CHECK(wrong == 0);
    };
    tx::function next{[](auto a) { return a + 1.0f; }};
    check(next(x));

    constexpr std::int64_t height = 8400, width = 1003; // most rows begin between two vectors
    auto const matrix = tx::tensor<float, tx::shape<tx::dyn, width>>(tx::from_data<tx::shape<height, width>>(x.data()));
    auto const row = counted<float>(width);
    auto const sums = tx::function{[](auto a, auto b) { return a + b; }}(matrix, row);
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < height; ++i)
        for (std::int64_t j = 0; j < width; ++j) wrong += sums(i, j) != x(i * width + j) + row(j);
    CHECK(wrong == 0);
}
