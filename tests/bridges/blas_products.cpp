// This file tests products of a matrix and a vector through CBLAS, against sums in a plain loop.
#include <tracexpr/blas.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

namespace {

template <class T> T number(std::size_t i) {
    double const value = static_cast<double>(i * 40503u % 1000u) / 1000.0 - 0.5;
    if constexpr (std::is_floating_point_v<T>) return static_cast<T>(value);
    else return {static_cast<typename T::value_type>(value), static_cast<typename T::value_type>(0.25 - value)};
}
template <class T> std::vector<T> numbers(std::int64_t count, std::size_t first) {
    std::vector<T> out;
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) out.push_back(number<T>(first + i));
    return out;
}

// (m, k) x (k, 1), the vectors' elements some steps apart.
template <class T> void check_vector(std::int64_t m, std::int64_t k, bool transposed, std::int64_t step, bool accumulate) {
    std::int64_t const row = transposed ? 1 : k + 3, column = transposed ? m + 2 : 1;
    auto const a = numbers<T>((m + 3) * (k + 3), 0), x = numbers<T>(k * step, 7);
    auto y = numbers<T>(m * step, 11);
    auto const before = y;
    REQUIRE(tx::cblas::multiply(m, 1, k, a.data(), row, column, x.data(), step, 1, y.data(), step, accumulate));
    double worst = 0;
    for (std::int64_t i = 0; i < m * step; ++i) {
        std::complex<double> expected = before[static_cast<std::size_t>(i)];
        if (i % step == 0) {
            if (!accumulate) expected = 0;
            for (std::int64_t j = 0; j < k; ++j)
                expected += std::complex<double>(a[static_cast<std::size_t>(i / step * row + j * column)]) * std::complex<double>(x[static_cast<std::size_t>(j * step)]);
        }
        worst = std::max(worst, std::abs(expected - std::complex<double>(y[static_cast<std::size_t>(i)])));
    }
    CHECK(worst < 2400 * static_cast<double>(std::numeric_limits<decltype(std::abs(T()))>::epsilon())); // as many products, complex ones have four
}

} // namespace

TEST_CASE_TEMPLATE("cblas: a matrix times a vector", T, float, double, std::complex<float>, std::complex<double>) {
    for (bool const transposed : {false, true})
        for (std::int64_t const step : {1, 3})
            for (bool const accumulate : {false, true}) check_vector<T>(520, 600, transposed, step, accumulate);
}

TEST_CASE("cblas: small products are left to others") {
    float const a[4]{}, x[2]{};
    float y[2]{1, 2};
    CHECK(!tx::cblas::multiply(2, 1, 2, a, 2, 1, x, 1, 1, y, 1, false));
    CHECK(y[1] == 2);
}
