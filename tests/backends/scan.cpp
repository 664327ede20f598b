// This file tests scans against their definitions.
#include "along_axis.hpp"

#include <tracexpr/backends/calls/scan.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

namespace {

template <class T> bool same(T a, T b) { return a == b || (a != a && b != b); }

// out(o, i, j) from out(o, i - 1, j) by f
template <class T, class F>
std::vector<T> scanned(std::int64_t outer, std::int64_t n, std::int64_t inner, std::vector<T> values, F f) {
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

TEST_CASE_TEMPLATE("cumsum, cumprod, cummax, cummin: along any axis", T, float, double, std::uint8_t, std::uint32_t,
                   std::uint64_t, tx::half, tx::bfloat16) {
    for (std::int64_t const outer : {0, 1, 3})
        for (std::int64_t const n : {0, 1, 2, 17})
            for (std::int64_t const inner : {0, 1, 2, 3, 5, 16, 31, 67})
                check_scans(outer, n, inner, numbers<T>(outer * n * inner));
}

TEST_CASE_TEMPLATE("scans: rows of any length, any number of them", T, float, double, std::int8_t, std::int16_t, std::uint32_t,
                   std::uint64_t, tx::half) {
    for (std::int64_t const rows : {1, 2, 3, 4, 7, 8, 13, 16, 23, 37})
        for (std::int64_t const n : {3, 4, 5, 6, 7, 8, 9, 10, 15, 16, 31, 33, 48, 127, 200, 513})
            check_scans(rows, n, 1, numbers<T>(rows * n));
}

// Sums that are rounded: near those in double, and the same for rows whether they lie in the array or in its result.
TEST_CASE_TEMPLATE("scans: fractions, in place", T, float, double) {
    for (std::int64_t const rows : {1, 2, 5, 16, 21})
        for (std::int64_t const n : {5, 100, 1003, 5000}) {
            std::vector<T> in(at(rows * n)), out(at(rows * n));
            for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<T>(std::sin(static_cast<double>(i)));
            tx::simd::cumsum(rows, n, 1, in.data(), out.data());
            double worst = 0;
            for (std::int64_t r = 0; r < rows; ++r)
                for (std::int64_t i = 0, from = r * n; i < n; ++i) {
                    double sum = 0;
                    for (std::int64_t k = 0; k <= i && n < 2000; ++k) sum += static_cast<double>(in[at(from + k)]);
                    if (n < 2000) worst = std::max(worst, std::abs(sum - static_cast<double>(out[at(from + i)])));
                }
            CHECK(worst < 1000 * static_cast<double>(std::numeric_limits<T>::epsilon()));
            tx::simd::cumsum(rows, n, 1, in.data(), in.data());
            CHECK(in == out);
        }
}

TEST_CASE_TEMPLATE("scans: of equal extremes the first, also where it is a zero with a sign", T, float, double) {
    for (std::int64_t const rows : {1, 16})
        for (std::int64_t const n : {5, 40, 300}) {
            std::vector<T> in(at(rows * n)), out(at(rows * n));
            for (std::size_t i = 0; i < in.size(); ++i) in[i] = i / 3 % 2 ? T(0) : -T(0);
            auto const signs_hold = [&](std::int64_t length) {
                bool good = true;
                for (std::int64_t i = 0; i < rows * n; ++i)
                    good = good && std::signbit(out[at(i)]) == std::signbit(in[at(i / length * length)]);
                return good;
            };
            tx::simd::cummax(rows, n, 1, in.data(), out.data());
            CHECK(signs_hold(n));
            tx::simd::cummin(rows, n, 1, in.data(), out.data());
            CHECK(signs_hold(n));
            in.assign(in.size(), -T(0));
            tx::simd::cumsum(rows, n, 1, in.data(), out.data()); // no +0 comes in from where no element is
            CHECK(signs_hold(n));
        }
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
    for (std::int64_t const rows : {1, 9}) {
        auto values = numbers<T>(300 * rows);
        for (std::int64_t const i : {100, 149, 280}) values[at(i)] = std::numeric_limits<T>::quiet_NaN();
        values[at(120)] = -std::numeric_limits<T>::infinity();
        check_scans(rows, 300, 1, values);
    }
}
