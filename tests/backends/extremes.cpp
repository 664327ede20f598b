// This file tests positions of extremes against their definition.
#include "along_axis.hpp"

#include <tracexpr/backends/calls/extremes.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace {

template <class T> std::int64_t first_extreme(std::vector<T> const& values, bool greatest) {
    std::int64_t best = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        T const value = values[i];
        if (value != value) return static_cast<std::int64_t>(i);
        if (greatest ? value > values[at(best)] : value < values[at(best)]) best = static_cast<std::int64_t>(i);
    }
    return best;
}

template <class T> void check_positions(std::vector<T> const& values) {
    std::int64_t const n = static_cast<std::int64_t>(values.size());
    std::int64_t found = -1;
    tx::simd::argmax(1, n, 1, values.data(), &found);
    CHECK(found == first_extreme(values, true));
    tx::simd::argmin(1, n, 1, values.data(), &found);
    CHECK(found == first_extreme(values, false));
}

// Along the middle axis of (outer, n, inner), a few values many times, one in `nans` a NaN.
template <class T> void check_along(std::int64_t outer, std::int64_t n, std::int64_t inner, int nans) {
    static std::mt19937 random(7);
    std::vector<T> values;
    for (std::int64_t i = 0; i < outer * n * inner; ++i) values.push_back(static_cast<T>(static_cast<float>(random() % 7)));
    if constexpr (std::numeric_limits<T>::has_quiet_NaN)
        for (T& value : values)
            if (nans && random() % static_cast<unsigned>(nans) == 0) value = std::numeric_limits<T>::quiet_NaN();
    std::vector<std::int64_t> greatest(at(outer * inner), -1), least(at(outer * inner), -1);
    tx::simd::argmax(outer, n, inner, values.data(), greatest.data());
    tx::simd::argmin(outer, n, inner, values.data(), least.data());
    bool good = true;
    for (std::int64_t o = 0; o < outer; ++o)
        for (std::int64_t j = 0; j < inner; ++j) {
            std::vector<T> line;
            for (std::int64_t i = 0; i < n; ++i) line.push_back(values[at((o * n + i) * inner + j)]);
            good = good && greatest[at(o * inner + j)] == first_extreme(line, true) && least[at(o * inner + j)] == first_extreme(line, false);
        }
    INFO(outer, " ", n, " ", inner, " ", nans);
    CHECK(good);
}

} // namespace

TEST_CASE_TEMPLATE("argmax, argmin: the first of equals, at any length", T, float, double, std::int32_t, std::int64_t, std::uint8_t, tx::half) {
    for (std::int64_t const n : {1, 2, 7, 16, 511, 512, 1023, 1024, 1025, 2100, 5000}) {
        auto values = numbers<T>(n);
        check_positions(values);
        for (std::int64_t const where : {n - 1, n / 2, n / 3}) {
            values[at(where)] = static_cast<T>(static_cast<float>(100));
            check_positions(values);
        }
    }
    check_positions(std::vector<T>(3000, static_cast<T>(static_cast<float>(7))));
}

TEST_CASE_TEMPLATE("argmax, argmin: NaN wins, infinities count", T, float, double) {
    for (std::int64_t const where : {0, 3, 1000, 2998, 2999}) {
        auto values = numbers<T>(3000);
        values[at(where)] = std::numeric_limits<T>::infinity();
        check_positions(values);
        values[at(where)] = -std::numeric_limits<T>::infinity();
        check_positions(values);
        values[at(where)] = std::numeric_limits<T>::quiet_NaN();
        check_positions(values);
        values[2999] = std::numeric_limits<T>::quiet_NaN();
        check_positions(values);
    }
    check_positions(std::vector<T>(2000, -std::numeric_limits<T>::infinity()));
    check_positions(std::vector<T>{T(0), T(-0.0), T(0)});
}

TEST_CASE("argmax: an inner axis") {
    float const nan = std::numeric_limits<float>::quiet_NaN();
    float const values[2][3][2] = {{{1, 5}, {2, 5}, {2, 4}}, {{nan, 0}, {9, nan}, {nan, nan}}};
    std::int64_t out[2][2];
    tx::simd::argmax(2, 3, 2, &values[0][0][0], &out[0][0]);
    CHECK(out[0][0] == 1);
    CHECK(out[0][1] == 0);
    CHECK(out[1][0] == 0);
    CHECK(out[1][1] == 1);
}

TEST_CASE_TEMPLATE("argmax, argmin: short and long rows, wide and narrow columns", T, float, double, std::int32_t, std::uint32_t, std::int64_t, std::int8_t, tx::half) {
    for (int const nans : {0, 5, 60})
        for (std::int64_t const outer : {0, 1, 3, 16, 37})
            for (std::int64_t const n : {1, 2, 3, 4, 5, 10, 17, 70})
                for (std::int64_t const inner : {1, 2, 5, 16, 33, 150}) check_along<T>(outer, n, inner, nans);
}
