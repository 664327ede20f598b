// This file multiplies matrices that are not worth packing: small ones, and a matrix and a vector. The operands are read in
// place.
#pragma once

#include <tracexpr/backends/contractions/matmul_blocked.hpp>
#include <tracexpr/backends/contractions/matmul_thin.hpp>
#include <tracexpr/backends/contractions/matrix.hpp>
#include <tracexpr/backends/loops/transpose.hpp>
#include <tracexpr/backends/vectors/lanes.hpp>
#include <tracexpr/base/config.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace tx::inline TRACEXPR_TARGET::simd {

namespace detail {

// This many rows of b are prefetched.
inline constexpr std::int64_t fetched_ahead = 8;
// Computes Rows x (Vectors * W) elements of c. The second vector starts at column `shift`, so it may overlap the first. A long
// sum is computed as a sum of sums of block_k products each, so that its error doesn't grow with k.
template <class T, int W, int Rows, int Vectors, class = std::make_integer_sequence<int, Rows>> struct direct_tile;
template <class T, int W, int Rows, int Vectors, int... Row>
struct direct_tile<T, W, Rows, Vectors, std::integer_sequence<int, Row...>> {
    using vector = lanes<T, W>;

    static void run(std::int64_t k, strided_matrix<T> a, T const* b, std::int64_t b_stride, T* c, std::int64_t c_stride,
                    std::int64_t shift) {
        T const* from = a.data;
        for (std::int64_t step = 0; step < k;) {
            bool const is_first = step == 0;
            std::int64_t const last = std::min(step + block_k<T>, k);
            vector left[Rows] = {}, right[Rows] = {};
            for (; step < last; ++step, from += a.column_stride, b += b_stride) {
                // The rows of b are far apart, so hardware does not prefetch them.
                __builtin_prefetch(b + fetched_ahead * b_stride);
                vector const first = load<W>(b);
                ((left[Row] = first * from[Row * a.row_stride] + left[Row]), ...);
                if constexpr (Vectors == 2) {
                    __builtin_prefetch(b + fetched_ahead * b_stride + shift);
                    vector const second = load<W>(b + shift);
                    ((right[Row] = second * from[Row * a.row_stride] + right[Row]), ...);
                }
            }
            if (!is_first) { // all old values are read before any of them is written
                ((left[Row] = load<W>(c + Row * c_stride) + left[Row]), ...);
                if constexpr (Vectors == 2) ((right[Row] = load<W>(c + Row * c_stride + shift) + right[Row]), ...);
            }
            (store<W>(c + Row * c_stride, left[Row]), ...);
            if constexpr (Vectors == 2) (store<W>(c + Row * c_stride + shift, right[Row]), ...);
        }
    }
};

// Computes all rows of W or 2 W columns, in tiles of nearly equal height.
template <class T, int W, int Rows, int Vectors> void direct_columns(std::int64_t m, std::int64_t k, strided_matrix<T> a,
                                                                     T const* b, std::int64_t b_stride, T* c,
                                                                     std::int64_t c_stride, std::int64_t shift) {
    static constexpr auto tiles = []<int... Row>(std::integer_sequence<int, Row...>) {
        return std::array{direct_tile<T, W, Row + 1, Vectors>::run...};
    }(std::make_integer_sequence<int, Rows>{});
    panel_split const rows{m, (m + Rows - 1) / Rows};
    for (std::int64_t panel = 0; panel < rows.count; ++panel) {
        std::int64_t const row = rows.begin(panel), height = rows.begin(panel + 1) - row;
        tiles[static_cast<std::size_t>(height - 1)](k, a.from(row, 0), b, b_stride, c + row * c_stride, c_stride, shift);
    }
}

// c = a * b, where the columns of b are contiguous, in pairs of vectors; the last vector is shifted left to overlap the one
// before it.
template <class T, int W, int Rows> void multiply_direct(std::int64_t m, std::int64_t n, std::int64_t k, strided_matrix<T> a,
                                                         T const* b, std::int64_t b_stride, T* c, std::int64_t c_stride) {
    if (n < W) {
        if constexpr (W > 1) multiply_direct<T, W / 2, Rows>(m, n, k, a, b, b_stride, c, c_stride);
        return;
    }
    for (std::int64_t column = 0; column < n; column += 2 * W) {
        std::int64_t const first = std::min(column, n - W), second = std::min(column + W, n - W);
        if (second <= first) direct_columns<T, W, Rows, 1>(m, k, a, b + first, b_stride, c + first, c_stride, 0);
        else direct_columns<T, W, Rows, 2>(m, k, a, b + first, b_stride, c + first, c_stride, second - first);
    }
}

// y[i] = or += sum over k of a(i, k) * x[k], for a with contiguous columns: four rows at a time.
template <class T, class Arch, int... Row> void multiply_rows(std::int64_t m, std::int64_t k, strided_matrix<T> a, T const* x,
                                                              T* y, std::int64_t y_stride, bool accumulate,
                                                              std::integer_sequence<int, Row...>) {
    constexpr std::int64_t rows = sizeof...(Row), w = native_lanes<T, Arch>;
    for (std::int64_t i = 0; i < m; i += rows) {
        T const* const from[rows] = {a.at(std::min(i + Row, m - 1), 0)...};
        lanes<T, w> even[rows] = {}, odd[rows] = {};
        std::int64_t step = 0;
        for (; step + 2 * w <= k; step += 2 * w) {
            lanes<T, w> const first = load<w>(x + step), second = load<w>(x + step + w);
            ((even[Row] = load<w>(from[Row] + step) * first + even[Row]), ...);
            ((odd[Row] = load<w>(from[Row] + step + w) * second + odd[Row]), ...);
        }
        T sums[rows] = {sum_of_lanes<w>(even[Row] + odd[Row])...};
        for (; step < k; ++step) ((sums[Row] += from[Row][step] * x[step]), ...);
        for (std::int64_t row = 0; row < std::min(rows, m - i); ++row) {
            T& to = y[(i + row) * y_stride];
            to = static_cast<T>(accumulate ? to + sums[row] : sums[row]);
        }
    }
}

// y[i] += sum over k of a(i, k) * x[k], for a with contiguous rows: four columns at a time, over parts of y that stay in L1.
template <class T, class Arch, int Columns>
void add_columns(std::int64_t m, T const* a, std::int64_t column_stride, T const (&x)[Columns], T* y) {
    constexpr std::int64_t w = native_lanes<T, Arch>;
    std::int64_t i = 0;
    for (; i + w <= m; i += w) {
        lanes<T, w> sum = load<w>(y + i);
        [&]<int... C>(std::integer_sequence<int, C...>) {
            ((sum = load<w>(a + C * column_stride + i) * x[C] + sum), ...);
        }(std::make_integer_sequence<int, Columns>{});
        store<w>(y + i, sum);
    }
    for (; i < m; ++i)
        for (int c = 0; c < Columns; ++c) y[i] += static_cast<T>(a[c * column_stride + i] * x[c]);
}
template <class T, class Arch>
void multiply_columns(std::int64_t m, std::int64_t k, strided_matrix<T> a, T const* x, std::int64_t x_stride, T* y) {
    // Each sum is a sum of sums of `block` products, so that its error doesn't grow with k.
    constexpr std::int64_t part = 8192 / static_cast<std::int64_t>(sizeof(T)), block = 1024;
    T sums[part];
    for (std::int64_t i = 0; i < m; i += part) {
        std::int64_t const rows = std::min(part, m - i);
        for (std::int64_t step = 0; step < k;) {
            std::int64_t const last = std::min(step + block, k);
            std::fill_n(sums, rows, T(0));
            for (; step + 4 <= last; step += 4) {
                T const* const from = x + step * x_stride;
                add_columns<T, Arch, 4>(rows, a.at(i, step), a.column_stride,
                                        {from[0], from[x_stride], from[2 * x_stride], from[3 * x_stride]}, sums);
            }
            for (; step < last; ++step) add_columns<T, Arch, 1>(rows, a.at(i, step), a.column_stride, {x[step * x_stride]}, sums);
            for (std::int64_t row = 0; row < rows; ++row) y[i + row] = static_cast<T>(y[i + row] + sums[row]);
        }
    }
}

// y (m) = or += a (m, k) * x (k). Returns false, having done nothing, if neither way suits the strides of a.
template <class T, class Arch> bool multiply_vector(std::int64_t m, std::int64_t k, strided_matrix<T> a, T const* x,
                                                    std::int64_t x_stride, T* y, std::int64_t y_stride, bool accumulate) {
    if (a.column_stride == 1 && x_stride == 1) {
        multiply_rows<T, Arch>(m, k, a, x, y, y_stride, accumulate, std::make_integer_sequence<int, 4>{});
    } else if (a.row_stride == 1 && y_stride == 1) {
        if (!accumulate) std::fill(y, y + m, T(0));
        multiply_columns<T, Arch>(m, k, a, x, x_stride, y);
    } else {
        return false;
    }
    return true;
}
} // namespace detail

// The packed kernel does not pay for at most this many multiplications.
inline constexpr std::int64_t direct_limit = 32 * 32 * 32;
// Packing does not pay for a few rows either, for which b is read once, or a few times if it stays in the cache.
template <class T, class Arch> inline constexpr int direct_rows = register_count<Arch> == 32 ? 8 : 4; // two vectors each
inline constexpr std::int64_t most_times_read = 4, most_bytes_read_again = 7 << 18;
template <class T, class Arch> bool has_few_rows(std::int64_t m, std::int64_t n, std::int64_t k) {
    constexpr std::int64_t rows = direct_rows<T, Arch>;
    if (n < 2 * native_lanes<T, Arch>) return false;
    if (m <= rows) return true;
    bool const stays = k <= most_bytes_read_again / (static_cast<std::int64_t>(sizeof(T)) * n);
    return stays && (m <= 2 * rows || (m <= most_times_read * rows && k >= 256)); // short sums pay for their packing
}

// c (m, n) = or += a (m, k) * b (k, n) for elements of 4 or 8 bytes and k > 0, if the product is small or one operand is a
// vector. Returns false, having done nothing, otherwise.
template <class T, class Arch = simd::default_arch> bool multiply_unpacked(std::int64_t m, std::int64_t n, std::int64_t k,
                                                                           strided_matrix<T> a, strided_matrix<T> b, T* c,
                                                                           std::int64_t c_stride, bool accumulate) {
    if constexpr (std::is_floating_point_v<T>)
        if (!accumulate && c_stride == n && multiply_thin<T, Arch>(m, n, k, a, b, c)) return true;
    if (n == 1) return detail::multiply_vector<T, Arch>(m, k, a, b.data, b.row_stride, c, c_stride, accumulate);
    if (m == 1) return detail::multiply_vector<T, Arch>(n, k, b.transposed(), a.data, a.column_stride, c, 1, accumulate);
    // Packing does not pay either if the small operand stays in registers.
    bool const is_flat = k <= 16 && (m <= 16 || n <= 16), is_low = b.column_stride == 1 && has_few_rows<T, Arch>(m, n, k);
    if (accumulate ||
        (!is_flat && !is_low &&
         (m > direct_limit || n > direct_limit || k > direct_limit || m * n > direct_limit || m * n * k > direct_limit)))
        return false;
    constexpr int w = native_lanes<T, Arch>, rows = direct_rows<T, Arch>;
    if (b.column_stride == 1) {
        detail::multiply_direct<T, w, rows>(m, n, k, a, b.data, b.row_stride, c, c_stride);
        return true;
    }
    constexpr std::int64_t most = 1024;
    if (b.row_stride != 1 || k * n > most) return false;
    alignas(64) T straight[most];
    pack_transposed<T, Arch>(k, n, b.data, b.column_stride, straight, n);
    detail::multiply_direct<T, w, rows>(m, n, k, a, straight, n, c, c_stride);
    return true;
}

} // namespace tx::inline TRACEXPR_TARGET::simd
