// This file makes matrices for the tests of tx::linalg, and compares them.
#pragma once

#include <messages.hpp>

#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <initializer_list>
#include <limits>
#include <random>
#include <string>

namespace tx::testing {

template <class T> using open_matrix = tensor<T, shape<dyn, dyn>>;
template <std::int64_t... E> using doubles = tensor<double, shape<E...>>;

// Makes a matrix with element (i, j) = f(i, j) by plain loops, independent of the library's kernels.
template <class T, class F> open_matrix<T> made(std::int64_t m, std::int64_t n, F f) {
    open_matrix<T> out = zeros<T, shape<dyn, dyn>>(m, n);
    T* to = out.mutable_data();
    for (std::int64_t i = 0; i < m; ++i)
        for (std::int64_t j = 0; j < n; ++j) *to++ = static_cast<T>(f(i, j));
    return out;
}
// Gives random elements between -size and size, plus `more` on the diagonal.
template <class T> open_matrix<T> random_matrix(std::int64_t m, std::int64_t n, unsigned seed, double size = 1, double more = 0) {
    std::mt19937_64 bits(seed);
    std::uniform_real_distribution<double> spread(-size, size);
    return made<T>(m, n, [&](std::int64_t i, std::int64_t j) { return spread(bits) + (i == j ? more : 0); });
}
template <class T> open_matrix<T> identity(std::int64_t n) {
    return made<T>(n, n, [](std::int64_t i, std::int64_t j) { return i == j; });
}
template <class A> auto flipped(A const& a) {
    return made<typename A::value_type>(a.extent(1), a.extent(0), [&](std::int64_t i, std::int64_t j) { return a(j, i); });
}
// Gives a times b by plain loops; a vector b is a column.
template <class A, class B> auto product(A const& a, B const& b) {
    std::int64_t const inner = a.extent(1), columns = b.rank() == 1 ? 1 : b.extent(1);
    return made<typename A::value_type>(a.extent(0), columns, [&](std::int64_t i, std::int64_t j) {
        double sum = 0;
        for (std::int64_t k = 0; k < inner; ++k) sum += static_cast<double>(a(i, k)) * static_cast<double>(b.data()[k * columns + j]);
        return sum;
    });
}
template <class T> open_matrix<T> definite_matrix(std::int64_t n, unsigned seed) {
    auto const a = random_matrix<T>(n, n, seed), square = product(a, flipped(a));
    return made<T>(n, n, [&](std::int64_t i, std::int64_t j) { return square(i, j) + static_cast<T>(i == j); });
}
template <class T> open_matrix<T> symmetric_matrix(std::int64_t n, unsigned seed) {
    auto const a = random_matrix<T>(n, n, seed);
    return made<T>(n, n, [&](std::int64_t i, std::int64_t j) { return (a(i, j) + a(j, i)) / 2; });
}

// Gives the largest difference; it is infinite where sizes differ or one element is NaN.
template <class A, class B> double distance(A const& a, B const& b) {
    double worst = a.size() == b.size() ? 0 : std::numeric_limits<double>::infinity();
    for (std::int64_t i = 0; i < a.size() && i < b.size(); ++i) {
        double const d = std::abs(static_cast<double>(a.data()[i]) - static_cast<double>(b.data()[i]));
        worst = d <= worst ? worst : d < std::numeric_limits<double>::infinity() ? d : std::numeric_limits<double>::infinity();
    }
    return worst;
}
// Backward errors of these methods are below n epsilon times the matrix's norm (Golub and Van Loan, 3.3, 4.2, 8.5), which is at
// most n here (n + 1 for definite matrices); the product that is computed to compare adds as many roundings.
template <class T> double bound_for(std::int64_t n) { return 8 * static_cast<double>((n + 1) * (n + 1)) * static_cast<double>(std::numeric_limits<T>::epsilon()); }

template <class A> bool has_extents(A const& a, std::initializer_list<std::int64_t> wanted) { return a.extents() == wanted; }

template <class A> bool all_nan(A const& a) {
    for (std::int64_t i = 0; i < a.size(); ++i)
        if (!std::isnan(a.data()[i])) return false;
    return true;
}

// These orders include those around the one from which on LAPACK is used.
inline constexpr std::int64_t orders[]{0, 1, 2, 3, 7, 15, 16, 17, 40, 100};

} // namespace tx::testing
