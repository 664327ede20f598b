// This file tests blocks of results on tiles: reductions over windows and several short axes, traced at run time, against plain
// loops in double.
#include <tracexpr/tracexpr.hpp>
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

using tx::axis, tx::dyn, tx::expand_dims, tx::shape, tx::tensor;

namespace {

template <class T, class... N> auto numbers(int seed, N... extents) {
    auto out = tx::zeros<T>(static_cast<std::int64_t>(extents)...);
    for (std::int64_t k = 0; k < out.size(); ++k)
        out.mutable_data()[k] = static_cast<T>(static_cast<double>((k * 29 + seed * 5 + k / 13) % 19) - 6);
    return out;
}
template <class X> double at(X const& x, std::int64_t k) { return static_cast<double>(x.data()[k]); }
// A function that is traced at run time, as its callable holds a number.
template <class F> auto at_run_time(F f) {
    return tx::function{[f, unused = 0](auto const&... x) { return static_cast<void>(unused), f(x...); }};
}
bool same(double got, double want) { return got == want || (std::isnan(got) && std::isnan(want)); } // sums of integers are exact

// f(window's elements) of each place of x, to be compared with got.
template <class X, class Y, class F> int wrong_windows(X const& x, Y const& got, std::int64_t h, std::int64_t w, F f) {
    std::int64_t const rows = x.extent(0) - h + 1, columns = x.extent(1) - w + 1;
    int wrong = 0;
    for (std::int64_t i = 0; i < rows; ++i)
        for (std::int64_t j = 0; j < columns; ++j) {
            auto const element = [&](std::int64_t a, std::int64_t b) { return at(x, (i + a) * x.extent(1) + j + b); };
            wrong += !same(at(got, i * columns + j), f(element));
        }
    return wrong + (got.size() != rows * columns);
}
template <class T> int wrong_boxes(std::int64_t n, std::int64_t m) {
    auto const given = numbers<T>(1, n, m), weights = numbers<T>(2, 3, 2);
    auto const views = [](auto x) { return tx::sliding_window_view<3, 2>(x); };
    auto const total = [](auto const& element, auto const& weight) {
        double sum = 0;
        for (std::int64_t a = 0; a < 3; ++a)
            for (std::int64_t b = 0; b < 2; ++b) sum += weight(element(a, b), a * 2 + b);
        return sum;
    };
    auto const most = [&](auto const& element, double sign) {
        double best = -1e300;
        for (std::int64_t a = 0; a < 3; ++a)
            for (std::int64_t b = 0; b < 2; ++b) best = std::max(best, sign * element(a, b));
        return sign * best;
    };
    int wrong = 0;
    wrong += wrong_windows(given, at_run_time([=](auto x) { return tx::sum(views(x), axis<2, 3>); })(given), 3, 2,
                           [&](auto e) { return total(e, [](double v, std::int64_t) { return v; }); });
    wrong += wrong_windows(given, at_run_time([=](auto x, auto w) { return tx::sum(views(x) * w, axis<2, 3>); })(given, weights),
                           3, 2, [&](auto e) { return total(e, [&](double v, std::int64_t k) { return v * at(weights, k); }); });
    wrong += wrong_windows(
        given, at_run_time([=](auto x, auto w) { return tx::sum(tx::square(views(x) - w), axis<2, 3>); })(given, weights), 3, 2,
        [&](auto e) { return total(e, [&](double v, std::int64_t k) { return std::pow(v - at(weights, k), 2); }); });
    wrong += wrong_windows(
        given, at_run_time([=](auto x, auto w) { return tx::sum(tx::maximum(views(x), w) + 1, axis<2, 3>); })(given, weights), 3,
        2, [&](auto e) { return total(e, [&](double v, std::int64_t k) { return std::max(v, at(weights, k)) + 1; }); });
    wrong += wrong_windows(given, at_run_time([=](auto x) { return tx::max(views(x), axis<2, 3>); })(given), 3, 2,
                           [&](auto e) { return most(e, 1); });
    wrong += wrong_windows(given, at_run_time([=](auto x) { return tx::min(views(x), axis<2, 3>); })(given), 3, 2,
                           [&](auto e) { return most(e, -1); });
    return wrong;
}

// What is added up are 16 x 3 x 3 products, more than one block of sums.
int wrong_convolutions(std::int64_t outs, std::int64_t n, std::int64_t m, bool backwards) {
    constexpr std::int64_t channels = 16;
    auto const given = numbers<float>(1, channels, n, m);
    auto const weights = numbers<float>(2, outs, channels, 3, 3);
    auto const y = at_run_time([backwards](auto x, auto w) {
        auto const turned = tx::where(backwards, tx::flip(x, axis<2>), x);
        return tx::einsum<"chwab,ocab->ohw">(tx::sliding_window_view<3, 3>(turned, axis<1, 2>), w);
    })(given, weights);
    int wrong = 0;
    for (std::int64_t o = 0; o < outs; ++o)
        for (std::int64_t i = 0; i + 2 < n; ++i)
            for (std::int64_t j = 0; j + 2 < m; ++j) {
                double sum = 0;
                for (std::int64_t c = 0; c < channels; ++c)
                    for (std::int64_t p = 0; p < 9; ++p) {
                        std::int64_t const column = j + p % 3;
                        sum += at(given, (c * n + i + p / 3) * m + (backwards ? m - 1 - column : column)) *
                               at(weights, (o * channels + c) * 9 + p);
                    }
                wrong += !same(at(y, (o * (n - 2) + i) * (m - 2) + j), sum);
            }
    return wrong;
}

} // namespace

TEST_CASE("tiles, blocks: windows of matrices, of several dtypes") {
    for (auto const [n, m] : {std::array<std::int64_t, 2>{20, 90}, {3, 2}, {4, 3}, {3, 60}, {40, 6}, {9, 2100}}) {
        CHECK(wrong_boxes<float>(n, m) == 0);
        CHECK(wrong_boxes<double>(n, m) == 0);
        CHECK(wrong_boxes<std::int32_t>(n, m) == 0);
    }
}
TEST_CASE("tiles, blocks: convolutions") {
    for (bool const backwards : {false, true}) {
        CHECK(wrong_convolutions(5, 12, 40, backwards) == 0);
        CHECK(wrong_convolutions(4, 5, 9, backwards) == 0);
        CHECK(wrong_convolutions(1, 3, 3, backwards) == 0);
    }
}
TEST_CASE("tiles, blocks: nothing to add up, and no results") {
    auto const sums = at_run_time([](auto x, auto y) { return tx::sum(expand_dims<1>(x) * y, axis<2>); });
    auto const none = sums(numbers<float>(1, 5, 0), numbers<float>(2, 4, 0));
    CHECK(none.size() == 20);
    for (std::int64_t k = 0; k < 20; ++k) CHECK(none.data()[k] == 0);
    CHECK(sums(numbers<float>(1, 0, 3), numbers<float>(2, 4, 3)).size() == 0);
    CHECK(sums(numbers<float>(1, 5, 3), numbers<float>(2, 0, 3)).size() == 0);
}
TEST_CASE("tiles, blocks: NaN is the largest and the least of its windows") {
    auto given = numbers<float>(1, 8, 40);
    given.mutable_data()[3 * 40 + 20] = std::numeric_limits<float>::quiet_NaN();
    auto const most = at_run_time([](auto x) { return tx::max(tx::sliding_window_view<2, 2>(x), axis<2, 3>); })(given);
    auto const least = at_run_time([](auto x) { return tx::min(tx::sliding_window_view<2, 2>(x), axis<2, 3>); })(given);
    for (std::int64_t i = 0; i < 7; ++i)
        for (std::int64_t j = 0; j < 39; ++j) {
            bool const has_nan = (i == 2 || i == 3) && (j == 19 || j == 20);
            CHECK(std::isnan(most.data()[i * 39 + j]) == has_nan);
            CHECK(std::isnan(least.data()[i * 39 + j]) == has_nan);
        }
}
TEST_CASE("tiles, blocks: short rows of two axes") {
    auto const points = numbers<float>(1, 70, 5), centres = numbers<float>(2, 11, 5);
    auto const y = at_run_time([](auto x, auto c) {
        auto const d = expand_dims<1>(x) - c;
        return tx::sum(tx::abs(d) * d + 2, axis<2>);
    })(points, centres);
    for (std::int64_t i = 0; i < 70; ++i)
        for (std::int64_t j = 0; j < 11; ++j) {
            double sum = 0;
            for (std::int64_t k = 0; k < 5; ++k) {
                double const d = at(points, i * 5 + k) - at(centres, j * 5 + k);
                sum += std::abs(d) * d + 2;
            }
            CHECK(at(y, i * 11 + j) == sum);
        }
}
TEST_CASE("tiles, blocks: the same bits on several threads") {
    auto const given = numbers<float>(1, 400, 300);
    auto const box = [](auto x) { return tx::sum(tx::exp(tx::sliding_window_view<5, 5>(x) * 0.1f), axis<2, 3>); };
    auto const mean = [](auto x) { return tx::mean(tx::sliding_window_view<5, 5>(x), axis<2, 3>); };
    auto const one = at_run_time(box)(given), other = at_run_time(mean)(given);
    auto const many =
        tx::on(tx::cpu{.threads = 3}, [box, unused = 0](auto x) { return static_cast<void>(unused), box(x); })(given);
    auto const several =
        tx::on(tx::cpu{.threads = 4}, [mean, unused = 0](auto x) { return static_cast<void>(unused), mean(x); })(given);
    for (std::int64_t k = 0; k < one.size(); ++k) {
        CHECK(one.data()[k] == many.data()[k]);
        CHECK(other.data()[k] == several.data()[k]);
    }
}
