// This file tests loops that reduce with several adjacent results in registers, against plain loops: over several axes, with
// vectors along the reduced axis, and of elements that are not contiguous.
#include <run/register_tiles.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

using tx::axis, tx::dyn, tx::expand_dims, tx::shape, tx::tensor;
using namespace register_tiles;

namespace {

constexpr auto boxes = [](auto x) { return tx::sum(tx::sliding_window_view<3, 2>(x), axis<2, 3>); };
template <class T, class X> int wrong_boxes(X const& x) {
    auto const y = tx::function{boxes}(x);
    int64_t const n = x.extent(1);
    int wrong = 0;
    for (int64_t i = 0; i < y.extent(0); ++i)
        for (int64_t j = 0; j < y.extent(1); ++j) {
            T sum{};
            for (int64_t a = 0; a < 3; ++a)
                for (int64_t b = 0; b < 2; ++b) sum = static_cast<T>(sum + x.data()[(i + a) * n + j + b]);
            wrong += !same<T>(y.data()[i * y.extent(1) + j], sum);
        }
    return wrong;
}

// Rows of one with all rows of another, of each example: what is summed is last, and so has the vectors.
constexpr auto rows_by_rows = [](auto a, auto b) { return tx::sum(expand_dims<2>(a) * expand_dims<1>(b), axis<3>); };
template <class A, class B> int wrong_rows_by_rows(A const& a, B const& b) {
    auto const c = tx::function{rows_by_rows}(a, b);
    int64_t const n = a.extent(1), m = b.extent(1), inner = a.extent(2);
    int wrong = 0;
    for (int64_t e = 0; e < a.extent(0); ++e)
        for (int64_t i = 0; i < n; ++i)
            for (int64_t j = 0; j < m; ++j) {
                auto sum = c.data()[(e * n + i) * m + j];
                for (int64_t k = 0; k < inner; ++k) sum -= a.data()[(e * n + i) * inner + k] * b.data()[(e * m + j) * inner + k];
                wrong += sum != 0;
            }
    return wrong;
}

// The largest of K x K elements, and the sums of K neighbours: elements that lie apart are side by side.
template <int64_t K> constexpr auto pooled = [](auto x) {
    auto const n = tx::extent<0>(x) / K, m = tx::extent<1>(x) / K;
    return std::tuple{tx::max(tx::reshape(x, n, K, m, K), axis<1, 3>), tx::sum(tx::reshape(x, -1, K), axis<1>)};
};
template <int64_t K, class X> int wrong_pools(X const& x) {
    auto const [most, sums] = tx::function{pooled<K>}(x);
    int64_t const columns = x.extent(1);
    int wrong = 0;
    for (int64_t i = 0; i < most.extent(0); ++i)
        for (int64_t j = 0; j < most.extent(1); ++j) {
            float largest = x.data()[i * K * columns + j * K];
            for (int64_t a = 0; a < K; ++a)
                for (int64_t b = 0; b < K; ++b) largest = std::max(largest, x.data()[(i * K + a) * columns + j * K + b]);
            wrong += most.data()[i * most.extent(1) + j] != largest;
        }
    for (int64_t i = 0; i < sums.size(); ++i) {
        float sum = 0;
        for (int64_t k = 0; k < K; ++k) sum += x.data()[i * K + k];
        wrong += sums.data()[i] != sum;
    }
    return wrong;
}

// Indices and choices among the lines, and a column that all share.
constexpr auto chosen = [](auto x, auto y) {
    auto const n = tx::size(y);
    auto const places = tx::arange<float>(n);
    auto const far = tx::abs(expand_dims<1>(x) - y) > 3;
    return tx::sum(tx::where(far, expand_dims<1>(x) * places, y), axis<1>);
};

} // namespace

TEST_CASE("register tiles: windows of matrices") {
    CHECK(wrong_boxes<float>(numbers<float, shape<12, 90>>()) == 0);
    CHECK(wrong_boxes<float>(numbers<float, shape<3, 2>>()) == 0);
    CHECK(wrong_boxes<std::complex<float>>(numbers<std::complex<float>, shape<6, 37>>()) == 0);
    CHECK(wrong_boxes<tx::half>(numbers<tx::half, shape<6, 50>>()) == 0);
    for (int64_t const n : {2, 3, 17, 18, 80}) CHECK(wrong_boxes<float>(numbers<float, shape<dyn, dyn>>(n + 1, n)) == 0);
}
TEST_CASE("register tiles: vectors along what is summed") {
    CHECK(wrong_rows_by_rows(numbers<float, shape<3, 7, 24>>(), numbers<float, shape<3, 10, 24>>()) == 0);
    CHECK(wrong_rows_by_rows(numbers<float, shape<1, 9, 3000>>(), numbers<float, shape<1, 5, 3000>>()) == 0);
    CHECK(wrong_rows_by_rows(numbers<std::int32_t, shape<2, 4, 37>>(), numbers<std::int32_t, shape<2, 3, 37>>()) == 0);
    for (int64_t const n : {1, 2, 15, 16, 47, 500})
        CHECK(wrong_rows_by_rows(numbers<float, shape<dyn, dyn, dyn>>(2, 5, n), numbers<float, shape<dyn, dyn, dyn>>(2, 3, n)) == 0);
}
TEST_CASE("register tiles: elements that lie apart") {
    CHECK(wrong_pools<2>(numbers<float, shape<6, 70>>()) == 0);
    CHECK(wrong_pools<3>(numbers<float, shape<9, 51>>()) == 0);
    CHECK(wrong_pools<4>(numbers<float, shape<4, 132>>()) == 0);
    CHECK(wrong_pools<5>(numbers<float, shape<5, 165>>()) == 0);
    for (int64_t const n : {1, 2, 7, 8, 33, 100}) {
        CAPTURE(n);
        CHECK(wrong_pools<2>(numbers<float, shape<dyn, dyn>>(4, 2 * n)) == 0);
        CHECK(wrong_pools<3>(numbers<float, shape<dyn, dyn>>(3, 3 * n)) == 0);
    }
}
TEST_CASE("register tiles: indices and choices") {
    auto const x = numbers<float, shape<50>>();
    auto const y = numbers<float, shape<33>>();
    auto const z = tx::static_function{chosen}(x, y);
    auto const open = tx::function{chosen}(tensor<float, shape<dyn>>(x), tensor<float, shape<dyn>>(y));
    for (int64_t i = 0; i < 50; ++i) {
        float sum = 0;
        for (int64_t j = 0; j < 33; ++j)
            sum += std::abs(x.data()[i] - y.data()[j]) > 3 ? x.data()[i] * static_cast<float>(j) : y.data()[j];
        CHECK(z.data()[i] == sum);
        CHECK(open.data()[i] == sum);
    }
}
TEST_CASE("register tiles: long sums are added up in pieces") {
    constexpr int64_t n = 40'000;
    tx::static_function const f{[](auto x, auto y) { return tx::sum(1 / (1 + tx::square(expand_dims<1>(x) - y)), axis<1>); }};
    auto const x = tx::zeros<float, shape<16>>();
    auto y = tx::zeros<float, shape<n>>();
    double sum = 0;
    for (int64_t j = 0; j < n; ++j) {
        y.mutable_data()[j] = static_cast<float>(j % 100) * 0.01f;
        sum += 1 / (1 + static_cast<double>(y.data()[j]) * y.data()[j]);
    }
    auto const z = f(x, y);
    for (int64_t i = 0; i < 16; ++i) CHECK(z.data()[i] == doctest::Approx(sum).epsilon(1e-6));
}
TEST_CASE("register tiles: one window, and nothing to reduce") {
    tx::function const f{boxes};
    CHECK(f(tx::zeros<float, shape<dyn, dyn>>(3, 2)).size() == 1);
    tx::function const sums{rows_by_rows};
    auto const none = sums(tx::zeros<float, shape<dyn, dyn, dyn>>(2, 3, 0), tx::zeros<float, shape<dyn, dyn, dyn>>(2, 4, 0));
    for (int64_t k = 0; k < none.size(); ++k) CHECK(none.data()[k] == 0);
}
TEST_CASE("register tiles: an axis of one element, which nobody has simplified away") {
    constexpr tx::pass_options as_traced{.simplify = false};
    auto const x = tx::ones<float, tx::shape<40, 1>>();
    auto const sums = tx::static_function{tx::with_passes<as_traced>([](auto a) { return tx::sum(a * 2, tx::axis<1>); })}(x);
    auto const most = tx::static_function{tx::with_passes<as_traced>([](auto a) { return tx::max(a * 2, tx::axis<1>); })}(x);
    CHECK(tx::equal(sums, tx::ones<float, tx::shape<40>>() * 2));
    CHECK(tx::equal(most, sums));
}
TEST_CASE("register tiles: nothing to store") {
    tx::function const most{[](auto x) { return tx::max(x, axis<1>); }};
    tx::function const total{[](auto x) { return tx::sum(x, axis<1>); }};
    CHECK(most(tx::zeros<float, shape<dyn, 4>>(0, 4)).size() == 0);
    CHECK(total(tx::zeros<float, shape<dyn, 3>>(0, 3)).size() == 0);
    CHECK(tx::max(tx::zeros<float, shape<dyn, dyn>>(0, 4), axis<1>).size() == 0);
    CHECK(total(tx::zeros<float, shape<dyn, 3>>(5, 3)).size() == 5);
}
TEST_CASE("register tiles: several threads give the bits of one, rows of an image") {
    auto const image = numbers<float, shape<301, 407>>() * 0.1f;
    for (int const threads : {2, 3, 4}) CHECK(tx::equal(tx::on(tx::cpu{threads}, boxes)(image), tx::function{boxes}(image)));
}
