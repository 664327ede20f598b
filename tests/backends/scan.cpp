// Scans and gathering against their definitions.
#include "along_axis.hpp"

#include <tracexpr/backends/calls/scan.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

namespace {

template <class T> bool same(T a, T b) { return a == b || (a != a && b != b); }

// out(o, i, j) from out(o, i - 1, j) by f
template <class T, class F> std::vector<T> scanned(std::int64_t outer, std::int64_t n, std::int64_t inner, std::vector<T> values, F f) {
    for (std::int64_t o = 0; o < outer; ++o)
        for (std::int64_t i = 1; i < n; ++i)
            for (std::int64_t j = 0; j < inner; ++j) {
                T& to = values[at((o * n + i) * inner + j)];
                to = f(values[at((o * n + i - 1) * inner + j)], to);
            }
    return values;
}

template <class T> T max_or_nan(T a, T b) { return a != a || b != b ? static_cast<T>(a + b) : a < b ? b : a; }
template <class T> T min_or_nan(T a, T b) { return a != a || b != b ? static_cast<T>(a + b) : b < a ? b : a; }

template <class T> void check_scans(std::int64_t outer, std::int64_t n, std::int64_t inner, std::vector<T> const& in) {
    std::vector<T> out(in.size());
    bool good = true;
    auto const agrees = [&](auto f) {
        auto const expected = scanned(outer, n, inner, in, f);
        for (std::size_t i = 0; i < out.size(); ++i) good = good && same(out[i], expected[i]);
    };
    tx::simd::cumsum(outer, n, inner, in.data(), out.data());
    agrees([](T a, T b) { return static_cast<T>(a + b); });
    tx::simd::cumprod(outer, n, inner, in.data(), out.data());
    agrees([](T a, T b) { return static_cast<T>(a * b); });
    tx::simd::cummax(outer, n, inner, in.data(), out.data());
    agrees(max_or_nan<T>);
    out = in;
    tx::simd::cummin(outer, n, inner, out.data(), out.data());
    agrees(min_or_nan<T>);
    INFO(outer, " ", n, " ", inner);
    CHECK(good);
}

} // namespace

TEST_CASE_TEMPLATE("cumsum, cumprod, cummax, cummin: along any axis", T, float, double, std::uint8_t, std::uint32_t, std::uint64_t, tx::half,
                   tx::bfloat16) {
    for (std::int64_t const outer : {0, 1, 3})
        for (std::int64_t const n : {0, 1, 2, 17})
            for (std::int64_t const inner : {0, 1, 5, 16, 67}) check_scans(outer, n, inner, numbers<T>(outer * n * inner));
}

TEST_CASE("scans: signed integers wrap, bool stays bool, complex numbers add") {
    std::vector<std::int32_t> const big(40, std::numeric_limits<std::int32_t>::max());
    std::vector<std::int32_t> out(40);
    tx::simd::cumsum(1, 2, 20, big.data(), out.data());
    CHECK(out[20] == -2);
    CHECK(out[39] == -2);
    tx::simd::cumprod(1, 40, 1, big.data(), out.data());
    CHECK(out[1] == 1);
    bool const flags[] = {false, true, false};
    bool sums[3];
    tx::simd::cumsum(1, 3, 1, flags, sums);
    CHECK((!sums[0] && sums[1] && sums[2]));
    std::complex<float> const z[] = {{1, 2}, {3, 4}};
    std::complex<float> total[2];
    tx::simd::cumsum(1, 2, 1, z, total);
    CHECK(total[1] == std::complex<float>(4, 6));
}

TEST_CASE_TEMPLATE("scans: NaN stays", T, float, double) {
    for (std::int64_t const inner : {1, 20}) {
        auto values = numbers<T>(6 * inner);
        values[at(2 * inner)] = std::numeric_limits<T>::quiet_NaN();
        values[at(4 * inner)] = std::numeric_limits<T>::infinity();
        check_scans(1, 6, inner, values);
    }
}

TEST_CASE("gather: indices from either end") {
    int const in[2][3][2] = {{{0, 1}, {2, 3}, {4, 5}}, {{6, 7}, {8, 9}, {10, 11}}};
    std::int64_t const indices[] = {2, -3, -1, 1};
    int out[2][4][2];
    tx::simd::gather(2, 3, 2, &in[0][0][0], 4, indices, &out[0][0][0]);
    CHECK(out[0][0][1] == 5);
    CHECK(out[0][1][0] == 0);
    CHECK(out[1][2][0] == 10);
    CHECK(out[1][3][1] == 9);
    std::uint8_t const bytes[] = {0, 2};
    int flat[2];
    tx::simd::gather(1, 3, 1, &in[0][0][0], 2, bytes, flat);
    CHECK(flat[1] == 2);
}

TEST_CASE("gather: an index outside throws before anything is written") {
    int const in[5] = {};
    int out[2] = {7, 7};
    std::int32_t const high[] = {0, 7}, low[] = {0, -6};
    CHECK_THROWS_WITH_AS(tx::simd::gather(1, 5, 1, in, 2, high, out), "tx: take: index 7 is out of bounds for axis 0 with size 5",
                         tx::shape_error);
    CHECK_THROWS_WITH_AS(tx::simd::gather(1, 5, 1, in, 2, low, out, 3), "tx: take: index -6 is out of bounds for axis 3 with size 5",
                         tx::shape_error);
    CHECK(out[0] == 7);
    std::uint64_t const huge[] = {std::numeric_limits<std::uint64_t>::max()};
    CHECK_THROWS_AS(tx::simd::gather(1, 5, 1, in, 1, huge, out), tx::shape_error);
}

TEST_CASE("take_along_axis: an index per element") {
    float const in[2][3] = {{10, 30, 20}, {3, 1, 2}};
    std::int64_t const order[2][3] = {{0, 2, 1}, {1, 2, -3}};
    float out[2][3];
    tx::simd::take_along_axis(2, 3, 1, &in[0][0], 3, &order[0][0], &out[0][0]);
    CHECK(out[0][1] == 20);
    CHECK(out[0][2] == 30);
    CHECK(out[1][0] == 1);
    CHECK(out[1][2] == 3);
    std::int32_t const rows[1][3] = {{1, 0, 1}};
    tx::simd::take_along_axis(1, 2, 3, &in[0][0], 1, &rows[0][0], &out[0][0], 0);
    CHECK(out[0][0] == 3);
    CHECK(out[0][1] == 30);
    std::int32_t const wrong[1][3] = {{1, 0, 2}};
    CHECK_THROWS_WITH_AS(tx::simd::take_along_axis(1, 2, 3, &in[0][0], 1, &wrong[0][0], &out[0][0], 0),
                         "tx: take_along_axis: index 2 is out of bounds for axis 0 with size 2", tx::shape_error);
}
