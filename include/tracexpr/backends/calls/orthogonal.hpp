// This file computes a = Q R by Householder reflections, eight columns at a time. It runs where there is no LAPACK, and, in long
// double, as the reference of the tests. Matrices are row-major. NaN and infinity propagate. Signs are those of LAPACK: the
// diagonal of R may be negative.
#pragma once

#include <tracexpr/base/config.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace tx::inline TRACEXPR_TARGET::plain {

// `reflections` holds the reflections of eight columns as one matrix, I - V T V^T, with V (rows, 8) and T (8, 8) upper
// triangular. (Schreiber and Van Loan, A storage-efficient WY representation for products of Householder transformations, 1989.)
// Missing columns are zeros.
template <class T> struct reflections {
    static constexpr std::int64_t width = 8;
    std::int64_t rows = 0;
    std::vector<T> vectors;
    T factors[width * width]{};

    T* row(std::int64_t i) { return vectors.data() + i * width; }
    T const* row(std::int64_t i) const { return vectors.data() + i * width; }

    // Finds the reflections of the first `columns` columns of a, whose rows are `stride` apart. R overwrites them down to the
    // diagonal; what is below it is not written.
    void find(std::int64_t count, std::int64_t columns, T* a, std::int64_t stride) {
        rows = count;
        vectors.assign(static_cast<std::size_t>(rows * width), T(0));
        std::fill_n(factors, width * width, T(0));
        for (std::int64_t i = 0; i < rows; ++i) std::copy_n(a + i * stride, columns, row(i));
        for (std::int64_t j = 0; j < columns; ++j) reflect(j, columns);
        for (std::int64_t i = 0; i < columns; ++i) {
            std::copy(row(i) + i, row(i) + columns, a + i * stride + i);
            std::fill(row(i) + i, row(i) + columns, T(0));
            row(i)[i] = T(1);
        }
    }
    // Multiplies c (rows, columns), whose rows are `stride` apart, by I - V T V^T from the left, or by its transpose. `sums` is
    // memory for 8 rows of `columns` numbers.
    void apply(bool transposed, std::int64_t columns, T* c, std::int64_t stride, T* sums) const {
        std::fill_n(sums, width * columns, T(0));
        for (std::int64_t i = 0; i < rows; ++i)
            for (std::int64_t p = 0; p < std::min(width, i + 1); p += 2) {
                T const *const v = row(i) + p, *const from = c + i * stride;
                T *const first = sums + p * columns, *const second = first + columns;
                for (std::int64_t j = 0; j < columns; ++j) first[j] += v[0] * from[j], second[j] += v[1] * from[j];
            }
        multiply_sums(transposed, columns, sums);
        for (std::int64_t i = 0; i < rows; ++i) {
            T const* const v = row(i);
            T* const to = c + i * stride;
            for (std::int64_t j = 0; j < columns; ++j) {
                T const* const s = sums + j;
                to[j] -= ((v[0] * s[0] + v[1] * s[columns]) + (v[2] * s[2 * columns] + v[3] * s[3 * columns])) +
                         ((v[4] * s[4 * columns] + v[5] * s[5 * columns]) + (v[6] * s[6 * columns] + v[7] * s[7 * columns]));
            }
        }
    }

private:
    // Computes the products of column j's part below the diagonal with all columns.
    void products_below(std::int64_t j, T* out) const {
        T sums[width]{};
        for (std::int64_t i = j + 1; i < rows; ++i) {
            T const *const v = row(i), x = v[j];
            for (std::int64_t k = 0; k < width; ++k) sums[k] += x * v[k];
        }
        std::copy_n(sums, width, out);
    }
    T largest_from(std::int64_t first, std::int64_t j) const {
        T largest = T(0);
        for (std::int64_t i = first; i < rows; ++i)
            if (T const size = std::abs(row(i)[j]); !(size <= largest)) {
                if (!(size <= std::numeric_limits<T>::max())) return size;
                largest = size;
            }
        return largest;
    }
    // Makes column j zero below the diagonal, where the vector of the reflection is stored. (Golub and Van Loan, Matrix
    // Computations, 5.1.3, with LAPACK's sign; there is no reflection where these elements are 0 already.)
    void reflect(std::int64_t j, std::int64_t columns) {
        constexpr T least =
            std::numeric_limits<T>::min() / (std::numeric_limits<T>::epsilon() * std::numeric_limits<T>::epsilon());
        T scale = T(1), products[width];
        products_below(j, products);
        // The sum of squares is too small or too large, or NaN.
        if (!(products[j] >= least && products[j] <= std::numeric_limits<T>::max())) {
            if (largest_from(j + 1, j) == T(0)) return;
            T const largest = largest_from(j, j);
            if (largest <= std::numeric_limits<T>::max()) scale = T(1) / std::max(largest, std::numeric_limits<T>::min());
            for (std::int64_t i = j; i < rows; ++i) row(i)[j] *= scale;
            products_below(j, products);
        }
        T const head = row(j)[j], length = std::sqrt(head * head + products[j]), end = head < T(0) ? length : -length;
        T const factor = (end - head) / end, shrink = T(1) / (head - end);
        T update[width]{};
        for (std::int64_t k = 0; k < columns; ++k) products[k] = row(j)[k] + products[k] * shrink; // V^T v
        for (std::int64_t k = j + 1; k < columns; ++k) update[k] = products[k], row(j)[k] -= factor * products[k];
        row(j)[j] = end / scale;
        for (std::int64_t i = j + 1; i < rows; ++i) {
            T* const v = row(i);
            T const x = v[j] * shrink, part = factor * x;
            for (std::int64_t k = 0; k < width; ++k) v[k] -= part * update[k];
            v[j] = x;
        }
        factors[j * width + j] = factor;
        for (std::int64_t i = 0; i < j; ++i) {
            T sum = T(0);
            for (std::int64_t k = i; k < j; ++k) sum += factors[i * width + k] * products[k];
            factors[i * width + j] = -factor * sum;
        }
    }
    void multiply_sums(bool transposed, std::int64_t columns, T* sums) const {
        for (std::int64_t done = 0; done < width; ++done) {
            std::int64_t const i = transposed ? width - 1 - done : done;
            T* const to = sums + i * columns;
            for (std::int64_t j = 0; j < columns; ++j) to[j] *= factors[i * width + i];
            for (std::int64_t k = transposed ? 0 : i + 1; k < (transposed ? i : width); ++k) {
                T const f = transposed ? factors[k * width + i] : factors[i * width + k];
                T const* const from = sums + k * columns;
                for (std::int64_t j = 0; j < columns; ++j) to[j] += f * from[j];
            }
        }
    }
};

// Decomposes a (m, n), which is overwritten, as q (m, k) times r (k, n), where k is the smaller of m and n.
template <class T> void qr(std::int64_t m, std::int64_t n, T* a, T* q, T* r) {
    constexpr std::int64_t width = reflections<T>::width;
    std::int64_t const k = std::min(m, n);
    std::vector<T> sums(static_cast<std::size_t>(width * n));
    std::vector<reflections<T>> all(static_cast<std::size_t>((k + width - 1) / width));
    for (std::int64_t j = 0; j < k; j += width) {
        std::int64_t const columns = std::min(width, k - j);
        reflections<T>& here = all[static_cast<std::size_t>(j / width)];
        here.find(m - j, columns, a + j * n + j, n);
        if (j + columns < n) here.apply(true, n - j - columns, a + j * n + j + columns, n, sums.data());
    }
    for (std::int64_t i = 0; i < k; ++i) {
        std::fill_n(r + i * n, i, T(0));
        std::copy(a + i * n + i, a + (i + 1) * n, r + i * n + i);
    }
    std::fill_n(q, m * k, T(0));
    for (std::int64_t i = 0; i < k; ++i) q[i * k + i] = T(1);
    for (std::size_t b = all.size(); b-- > 0;) {
        std::int64_t const j = static_cast<std::int64_t>(b) * width;
        all[b].apply(false, k - j, q + j * k + j, k, sums.data());
    }
}

} // namespace tx::inline TRACEXPR_TARGET::plain
