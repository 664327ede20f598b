// This file computes a = U diag(s) V^T by Jacobi's method on the rows of a, or of R in a = Q R if one side is much longer. It
// runs where there is no LAPACK, and, in long double, as the reference of the tests. Matrices are row-major.
#pragma once

#include <tracexpr/backends/calls/orthogonal.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace tx::inline TRACEXPR_TARGET::plain {

// Computes a dot product by 16 partial sums, so that it can be vectorized.
template <class T> T dot(std::int64_t count, T const* a, T const* b) {
    constexpr std::int64_t width = 16;
    T sums[width]{};
    std::int64_t i = 0;
    for (; i + width <= count; i += width)
        for (std::int64_t lane = 0; lane < width; ++lane) sums[lane] += a[i + lane] * b[i + lane];
    for (std::int64_t lane = 0; i < count; ++i, ++lane) sums[lane] += a[i] * b[i];
    for (std::int64_t half = width / 2; half > 0; half /= 2)
        for (std::int64_t lane = 0; lane < half; ++lane) sums[lane] += sums[lane + half];
    return sums[0];
}

// Rows of `columns` elements, each followed by a row of an orthogonal matrix (count, count), are rotated until they are
// orthogonal: one-sided Jacobi (Golub and Van Loan, Matrix Computations, 8.6.3). Each row in turn is the longest that is left (de
// Rijk 1989), so that they end up by descending length. The elements, their squares and the sums of those must be finite.
template <class T> struct row_turner {
    std::int64_t count, columns;
    std::vector<T> elements{}, squares{};

    row_turner(std::int64_t rows, std::int64_t length, T const* a) : count{rows}, columns{length} {
        elements.assign(static_cast<std::size_t>(count * stride()), T(0));
        squares.assign(static_cast<std::size_t>(count), T(0));
        for (std::int64_t i = 0; i < count; ++i) {
            std::copy_n(a + i * columns, columns, row(i));
            row(i)[columns + i] = T(1);
        }
    }
    std::int64_t stride() const { return columns + count; }
    T* row(std::int64_t i) { return elements.data() + i * stride(); }
    T& square(std::int64_t i) { return squares[static_cast<std::size_t>(i)]; }
    void measure() {
        for (std::int64_t i = 0; i < count; ++i) square(i) = dot(columns, row(i), row(i));
    }
    // Rows with a smaller square than this have a direction that is only rounding error.
    static constexpr T negligible() { return std::numeric_limits<T>::min() / std::numeric_limits<T>::epsilon(); }

    // Returns false if the rows are not orthogonal after many more sweeps than it takes.
    bool run() {
        constexpr int most_sweeps = 60;
        bool turned = count > 1;
        for (int sweep = 0; turned && sweep < most_sweeps; ++sweep) {
            turned = false;
            measure();
            for (std::int64_t p = 0; p + 1 < count; ++p) {
                bring_longest(p);
                for (std::int64_t q = p + 1; q < count; ++q)
                    if (turn(p, q)) turned = true;
            }
        }
        measure();
        return !turned;
    }

private:
    void bring_longest(std::int64_t p) {
        std::int64_t longest = p;
        for (std::int64_t q = p + 1; q < count; ++q)
            if (square(q) > square(longest)) longest = q;
        if (longest == p) return;
        std::swap_ranges(row(p), row(p) + stride(), row(longest));
        std::swap(square(p), square(longest));
    }
    bool turn(std::int64_t p, std::int64_t q) {
        T const tolerance = std::numeric_limits<T>::epsilon() * std::sqrt(static_cast<T>(columns));
        T &a = square(p), &b = square(q);
        if (b <= negligible() || a <= negligible()) return false;
        T const product = dot(columns, row(p), row(q));
        if (std::abs(product) <= tolerance * std::sqrt(a) * std::sqrt(b)) return false;
        T const difference = b - a, across = std::hypot(difference, T(2) * product);
        T const tangent = T(2) * product / (difference >= T(0) ? difference + across : difference - across);
        T const c = T(1) / std::sqrt(T(1) + tangent * tangent), s = tangent * c;
        T *const first = row(p), *const second = row(q);
        for (std::int64_t j = 0, n = stride(); j < n; ++j) {
            T const x = first[j], y = second[j];
            first[j] = c * x - s * y;
            second[j] = s * x + c * y;
        }
        a -= tangent * product, b = std::max(b + tangent * product, T(0));
        return true;
    }
};

// Fills row `at` of (count, n), where the rows marked in `done` are orthonormal, with a unit vector that is orthogonal to them,
// by Gram and Schmidt's method, done twice.
template <class T>
void complete_row(std::int64_t count, std::int64_t n, T* rows, std::vector<bool> const& done, std::int64_t at) {
    std::vector<T> covered(static_cast<std::size_t>(n), T(0));
    for (std::int64_t i = 0; i < count; ++i)
        for (std::int64_t j = 0; done[static_cast<std::size_t>(i)] && j < n; ++j)
            covered[static_cast<std::size_t>(j)] += rows[i * n + j] * rows[i * n + j];
    T* const to = rows + at * n;
    std::fill_n(to, n, T(0));
    to[std::min_element(covered.begin(), covered.end()) - covered.begin()] = T(1);
    for (int time = 0; time < 2; ++time) {
        for (std::int64_t i = 0; i < count; ++i) {
            if (!done[static_cast<std::size_t>(i)]) continue;
            T const part = dot(n, rows + i * n, to);
            for (std::int64_t j = 0; j < n; ++j) to[j] -= part * rows[i * n + j];
        }
        T const length = std::sqrt(dot(n, to, to));
        for (std::int64_t j = 0; j < n; ++j) to[j] /= length;
    }
}

// Decomposes a (m, n), where m is at most n: J a = diag(s) vh, with J = U^T in `turns` (m, m), and vh (m, n). s descends.
template <class T> bool svd_of_rows(std::int64_t m, std::int64_t n, T const* a, T* turns, T* s, T* vh) {
    row_turner<T> rows(m, n, a);
    if (!rows.run()) return false;
    std::vector<std::pair<T, std::int64_t>> order; // of equal values the first row comes first
    for (std::int64_t i = 0; i < m; ++i) order.emplace_back(-rows.square(i), i);
    std::sort(order.begin(), order.end());
    std::vector<bool> done(static_cast<std::size_t>(m));
    for (std::int64_t i = 0; i < m; ++i) {
        std::int64_t const from = order[static_cast<std::size_t>(i)].second;
        T const* const row = rows.row(from);
        s[i] = std::sqrt(rows.square(from));
        std::copy_n(row + n, m, turns + i * m);
        done[static_cast<std::size_t>(i)] = rows.square(from) > rows.negligible();
        for (std::int64_t j = 0; done[static_cast<std::size_t>(i)] && j < n; ++j) vh[i * n + j] = row[j] / s[i];
    }
    for (std::int64_t i = 0; i < m; ++i)
        if (!done[static_cast<std::size_t>(i)]) complete_row(m, n, vh, done, i), done[static_cast<std::size_t>(i)] = true;
    return true;
}

template <class T> void copy_transposed(std::int64_t m, std::int64_t n, T const* a, T* to) {
    for (std::int64_t i = 0; i < m; ++i)
        for (std::int64_t j = 0; j < n; ++j) to[j * m + i] = a[i * n + j];
}

// Decomposes a (m, n) as u (m, k) times diag(s) times vh (k, n), where k is the smaller of m and n, and s descends. The elements
// must be finite, and so small that their squares and the sum of those are finite. Returns false if there is no result after very
// many sweeps.
template <class T> bool svd(std::int64_t m, std::int64_t n, T const* a, T* u, T* s, T* vh) {
    std::int64_t const k = std::min(m, n);
    auto const numbers = [](std::int64_t count) { return std::vector<T>(static_cast<std::size_t>(count)); };
    if (k == 0) return true;
    std::vector<T> turns = numbers(k * k);
    if (m <= n && n < 2 * m) {
        if (!svd_of_rows(m, n, a, turns.data(), s, vh)) return false;
        copy_transposed(m, m, turns.data(), u);
        return true;
    }
    // a, or its transpose if a is wide, is Q R, and R = J^T diag(s) W.
    bool const is_wide = m < n;
    std::int64_t const large = std::max(m, n);
    std::vector<T> tall = numbers(m * n), q = numbers(m * n), r = numbers(k * k), w = numbers(k * k);
    if (is_wide) copy_transposed(m, n, a, tall.data());
    else std::copy_n(a, m * n, tall.data());
    qr(large, k, tall.data(), q.data(), r.data());
    if (!svd_of_rows(k, k, r.data(), turns.data(), s, w.data())) return false;
    // Computes Q J^T, or its transpose.
    for (std::int64_t i = 0; i < large; ++i)
        for (std::int64_t j = 0; j < k; ++j)
            (is_wide ? vh[j * large + i] : u[i * k + j]) = dot(k, q.data() + i * k, turns.data() + j * k);
    if (is_wide) copy_transposed(k, k, w.data(), u);
    else std::copy_n(w.data(), k * k, vh);
    return true;
}

} // namespace tx::inline TRACEXPR_TARGET::plain
