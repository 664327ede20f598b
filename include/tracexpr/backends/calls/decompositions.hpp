// This file decomposes square matrices by textbook loops. They run where there is no LAPACK, on dual numbers, and, in long
// double, as the reference of the tests. Matrices are row-major. NaN and infinity propagate; a function returns false for a
// matrix that has no such factors.
#pragma once

#include <tracexpr/backends/calls/symmetric.hpp>
#include <tracexpr/base/dual.hpp>
#include <tracexpr/graph/triangle.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace tx::inline TRACEXPR_TARGET::plain {

// to[j] -= factor * from[j]
template <class T> void subtract_row(std::int64_t count, T factor, T const* from, T* to) {
    for (std::int64_t j = 0; j < count; ++j) to[j] -= factor * from[j];
}

// Replaces a symmetric a (n, n) by the lower triangular L with L L^T = a, and zeros above the diagonal. Returns false, with a
// overwritten, if a is not positive definite. This is the outer-product form (Golub and Van Loan, Matrix Computations, 4.2.5) on
// the upper triangle, whose rows are contiguous.
template <class T> bool cholesky(std::int64_t n, T* a) {
    using std::sqrt;
    for (std::int64_t k = 0; k < n; ++k) {
        T* const row = a + k * n;
        if (row[k] <= T(0)) return false;
        row[k] = sqrt(row[k]);
        for (std::int64_t j = k + 1; j < n; ++j) row[j] /= row[k];
        for (std::int64_t i = k + 1; i < n; ++i) subtract_row(n - i, row[i], row + i, a + i * n + i);
    }
    for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t j = 0; j < i; ++j) a[i * n + j] = a[j * n + i], a[j * n + i] = T(0);
    return true;
}

// Replaces a (n, n) by its factors: L, whose diagonal is 1, below the diagonal, and U from the diagonal on. places[i] is the row
// of a that became row i; signs[k] is -1 if rows were swapped in step k, else 1. Rows are swapped for the largest pivot (Golub
// and Van Loan, 3.4.1); a column of zeros has no pivot and is skipped.
template <class T> void lu(std::int64_t n, T* a, std::int64_t* places, T* signs) {
    using std::abs;
    for (std::int64_t i = 0; i < n; ++i) places[i] = i, signs[i] = T(1);
    for (std::int64_t k = 0; k < n; ++k) {
        std::int64_t best = k;
        for (std::int64_t i = k + 1; i < n; ++i)
            if (abs(a[i * n + k]) > abs(a[best * n + k])) best = i;
        T* const row = a + k * n;
        if (best != k) {
            std::swap_ranges(row, row + n, a + best * n);
            std::swap(places[k], places[best]);
            signs[k] = T(-1);
        }
        if (row[k] == T(0)) continue;
        for (std::int64_t i = k + 1; i < n; ++i) {
            T* const below = a + i * n;
            below[k] /= row[k];
            subtract_row(n - k - 1, below[k], row + k + 1, below + k + 1);
        }
    }
}

template <class T> bool has_zero_on_diagonal(std::int64_t n, T const* a) {
    for (std::int64_t i = 0; i < n; ++i)
        if (a[i * n + i] == T(0)) return true;
    return false;
}

// Replaces x (n, k), which holds b, by the solution of a x = b, where a is the triangle `form` of a matrix whose rows are
// `stride` apart. This is substitution (Golub and Van Loan, 3.1) for all right sides at once.
template <class T> void solve_triangular(std::int64_t n, std::int64_t k, T const* a, std::int64_t stride, triangle form, T* x) {
    bool const forward = form.lower != form.transposed;
    std::int64_t const row_step = form.transposed ? 1 : stride, column_step = form.transposed ? stride : 1;
    for (std::int64_t done = 0; done < n; ++done) {
        std::int64_t const i = forward ? done : n - 1 - done;
        for (std::int64_t earlier = 0; earlier < done; ++earlier) {
            std::int64_t const j = forward ? earlier : n - 1 - earlier;
            subtract_row(k, a[i * row_step + j * column_step], x + j * k, x + i * k);
        }
        if (form.unit) continue;
        T const pivot = a[i * stride + i];
        for (std::int64_t j = 0; j < k; ++j) x[i * k + j] /= pivot;
    }
}

namespace detail {
// Rotates rows p and q of length n: p becomes c p - s q, and q becomes s p + c q.
template <class T> void turn_rows(std::int64_t n, T c, T s, T* p, T* q) {
    for (std::int64_t j = 0; j < n; ++j) {
        T const x = p[j], y = q[j];
        p[j] = c * x - s * y;
        q[j] = s * x + c * y;
    }
}
// Returns the largest absolute value in a number: the tangents of a dual number count as its value does.
template <class T> auto largest_part(T const& x) {
    if constexpr (tx::detail::is_dual_number<T>) return std::max(largest_part(x.value), largest_part(x.tangent));
    else return std::abs(x);
}
template <class T> auto sum_of_squares(T const& x) {
    if constexpr (tx::detail::is_dual_number<T>) return sum_of_squares(x.value) + sum_of_squares(x.tangent);
    else return x * x;
}

// Makes a(p, q) zero by rotating rows and columns p and q. (Golub and Van Loan, 8.5.2, with the smaller of the two angles. Its
// tangent is computed here without a division by a(p, q), because only the tangent of a dual a(p, q) may be nonzero.)
template <class T> void jacobi_turn(std::int64_t n, std::int64_t p, std::int64_t q, T* a, T* vectors) {
    using std::hypot, std::sqrt;
    T const difference = a[q * n + q] - a[p * n + p], twice = T(2) * a[p * n + q], across = hypot(difference, twice);
    T const t = twice / (difference >= T(0) ? difference + across : difference - across);
    T const c = T(1) / sqrt(T(1) + t * t), s = t * c;
    turn_rows(n, c, s, a + p * n, a + q * n);
    for (std::int64_t i = 0; i < n; ++i) {
        T const x = a[i * n + p], y = a[i * n + q];
        a[i * n + p] = c * x - s * y;
        a[i * n + q] = s * x + c * y;
    }
    a[p * n + q] = a[q * n + p] = T(0);
    turn_rows(n, c, s, vectors + p * n, vectors + q * n);
}
} // namespace detail

// Finds the eigenvalues of a symmetric (n, n), in no order, and in the rows of `vectors` (n, n) their eigenvectors, of length 1;
// a is overwritten. The elements must be finite, and so small that their squares and the sum of those are finite. Jacobi's method
// goes row after row until no element off the diagonal matters; returns false if that has not happened after many more sweeps
// than it takes.
template <class T> bool eigh(std::int64_t n, T* a, T* values, T* vectors) {
    constexpr int most_sweeps = 60;
    auto size = detail::sum_of_squares(T(0));
    for (std::int64_t i = 0; i < n * n; ++i) size += detail::sum_of_squares(a[i]), vectors[i] = T(0);
    for (std::int64_t i = 0; i < n; ++i) vectors[i * n + i] = T(1);
    auto const negligible =
        std::numeric_limits<decltype(size)>::epsilon() * std::sqrt(size) / static_cast<decltype(size)>(8 * n + 1);
    bool turned = true;
    for (int sweep = 0; turned && sweep < most_sweeps; ++sweep) {
        turned = false;
        for (std::int64_t p = 0; p < n; ++p)
            for (std::int64_t q = p + 1; q < n; ++q)
                if (detail::largest_part(a[p * n + q]) > negligible) detail::jacobi_turn(n, p, q, a, vectors), turned = true;
    }
    for (std::int64_t i = 0; i < n; ++i) values[i] = a[i * n + i];
    return !turned;
}

} // namespace tx::inline TRACEXPR_TARGET::plain
