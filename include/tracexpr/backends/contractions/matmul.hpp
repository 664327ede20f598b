// This file multiplies matrices of every dtype. float, double and the integers have a blocked kernel; 16-bit floats are computed
// in float, and complex numbers as four real products.
#pragma once

#include <tracexpr/backends/contractions/blas_calls.hpp>
#include <tracexpr/backends/contractions/matmul_blocked.hpp>
#include <tracexpr/backends/contractions/matmul_direct.hpp>
#include <tracexpr/backends/contractions/matmul_pairs.hpp>
#include <tracexpr/backends/contractions/matmul_small.hpp>
#include <tracexpr/base/element.hpp>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <type_traits>

namespace tx::inline TRACEXPR_TARGET::simd {

// c = a * b, or c += a * b: (m, k) x (k, n) -> (m, n). Element (i, j) of a is a[i * a_row_stride + j * a_column_stride], so a
// transposed operand is one with its strides exchanged; the columns of c are contiguous, and its rows c_stride apart. Any extent
// may be 0. c must not overlap a or b. Integers wrap; 16-bit floats are summed in float; bool is "or" of "and". Scratch memory is
// kept for each thread.
template <class T, class Arch = simd::default_arch> void gemm(std::int64_t m, std::int64_t n, std::int64_t k, T const* a,
                                                              std::int64_t a_row_stride, std::int64_t a_column_stride, T const* b,
                                                              std::int64_t b_row_stride, std::int64_t b_column_stride, T* c,
                                                              std::int64_t c_stride, bool accumulate = false);

namespace detail {

template <class T> inline constexpr bool is_complex = false;
template <class T> inline constexpr bool is_complex<std::complex<T>> = true;

// Makes a row-major copy of a strided matrix, with `f` applied to each element.
template <class T, class U, class F>
void copy_matrix(strided_matrix<T> from, std::int64_t rows, std::int64_t columns, U* to, F f) {
    for (std::int64_t row = 0; row < rows; ++row)
        for (std::int64_t column = 0; column < columns; ++column) to[row * columns + column] = f(*from.at(row, column));
}

// c |= a & b, a row of b at a time.
inline void multiply_bool(std::int64_t m, std::int64_t n, std::int64_t k, strided_matrix<bool> a, strided_matrix<bool> b, bool* c,
                          std::int64_t c_stride) {
    for (std::int64_t row = 0; row < m; ++row)
        for (std::int64_t step = 0; step < k; ++step) {
            if (!*a.at(row, step)) continue;
            for (std::int64_t column = 0; column < n; ++column) c[row * c_stride + column] |= *b.at(step, column);
        }
}

template <class T, class Arch> void multiply_in_float(std::int64_t m, std::int64_t n, std::int64_t k, strided_matrix<T> a,
                                                      strided_matrix<T> b, T* c, std::int64_t c_stride, bool accumulate) {
    struct of_this_product;
    scratch_memory& memory = tx::detail::per_thread<scratch_memory, of_this_product>();
    float* const wide_a = memory.get<float>(m * k + k * n + m * n);
    float* const wide_b = wide_a + m * k;
    float* const wide_c = wide_b + k * n;
    auto const widened = [](T value) { return value.value(); };
    copy_matrix(a, m, k, wide_a, widened);
    copy_matrix(b, k, n, wide_b, widened);
    if (accumulate) copy_matrix(strided_matrix<T>{c, c_stride, 1}, m, n, wide_c, widened);
    multiply_blocked<float, Arch>(m, n, k, {wide_a, k, 1}, {wide_b, n, 1}, wide_c, n, accumulate);
    for (std::int64_t row = 0; row < m; ++row)
        for (std::int64_t column = 0; column < n; ++column) c[row * c_stride + column] = T(wide_c[row * n + column]);
}

// Sets c to the numbers whose parts are `first` and `second`, or adds these numbers to c.
template <class T, class R>
void join_parts(std::int64_t m, std::int64_t n, R const* first, R const* second, T* c, std::int64_t c_stride, bool accumulate) {
    for (std::int64_t row = 0; row < m; ++row)
        for (std::int64_t column = 0; column < n; ++column) {
            T const value{first[row * n + column], second[row * n + column]};
            T& to = c[row * c_stride + column];
            to = accumulate ? to + value : value;
        }
}

// (a + i b) (c + i d) = (a c - b d) + i (a d + b c), as NumPy computes it: infinities may become NaN.
template <class R, class Arch> void multiply_complex(std::int64_t m, std::int64_t n, std::int64_t k,
                                                     strided_matrix<std::complex<R>> a, strided_matrix<std::complex<R>> b,
                                                     std::complex<R>* c, std::int64_t c_stride, bool accumulate) {
    struct of_this_product;
    scratch_memory& memory = tx::detail::per_thread<scratch_memory, of_this_product>();
    R* const a_real = memory.get<R>(3 * m * k + 2 * k * n + 2 * m * n);
    R* const a_imag = a_real + m * k;
    R* const a_minus_imag = a_imag + m * k;
    R* const b_real = a_minus_imag + m * k;
    R* const b_imag = b_real + k * n;
    R* const c_real = b_imag + k * n;
    R* const c_imag = c_real + m * n;
    copy_matrix(a, m, k, a_real, [](std::complex<R> const& z) { return z.real(); });
    copy_matrix(a, m, k, a_imag, [](std::complex<R> const& z) { return z.imag(); });
    copy_matrix(a, m, k, a_minus_imag, [](std::complex<R> const& z) { return -z.imag(); });
    copy_matrix(b, k, n, b_real, [](std::complex<R> const& z) { return z.real(); });
    copy_matrix(b, k, n, b_imag, [](std::complex<R> const& z) { return z.imag(); });
    auto const product = [&](R const* left, R const* right, R* out, bool add) {
        multiply_blocked<R, Arch>(m, n, k, {left, k, 1}, {right, n, 1}, out, n, add);
    };
    product(a_real, b_real, c_real, false);
    product(a_minus_imag, b_imag, c_real, true);
    product(a_real, b_imag, c_imag, false);
    product(a_imag, b_real, c_imag, true);
    join_parts(m, n, c_real, c_imag, c, c_stride, accumulate);
}

// (a + a' e) (b + b' e) = a b + (a' b + a b') e.
template <class R, class Arch> void multiply_dual(std::int64_t m, std::int64_t n, std::int64_t k, strided_matrix<dual<R>> a,
                                                  strided_matrix<dual<R>> b, dual<R>* c, std::int64_t c_stride, bool accumulate) {
    struct of_this_product;
    scratch_memory& memory = tx::detail::per_thread<scratch_memory, of_this_product>();
    R* const a_value = memory.get<R>(2 * m * k + 2 * k * n + 2 * m * n);
    R *const a_tangent = a_value + m * k, *const b_value = a_tangent + m * k, *const b_tangent = b_value + k * n;
    R *const c_value = b_tangent + k * n, *const c_tangent = c_value + m * n;
    copy_matrix(a, m, k, a_value, [](dual<R> const& x) { return x.value; });
    copy_matrix(a, m, k, a_tangent, [](dual<R> const& x) { return x.tangent; });
    copy_matrix(b, k, n, b_value, [](dual<R> const& x) { return x.value; });
    copy_matrix(b, k, n, b_tangent, [](dual<R> const& x) { return x.tangent; });
    gemm<R, Arch>(m, n, k, a_value, k, 1, b_value, n, 1, c_value, n);
    gemm<R, Arch>(m, n, k, a_tangent, k, 1, b_value, n, 1, c_tangent, n);
    gemm<R, Arch>(m, n, k, a_value, k, 1, b_tangent, n, 1, c_tangent, n, true);
    join_parts(m, n, c_value, c_tangent, c, c_stride, accumulate);
}
} // namespace detail

template <class T, class Arch> void gemm(std::int64_t m, std::int64_t n, std::int64_t k, T const* a, std::int64_t a_row_stride,
                                         std::int64_t a_column_stride, T const* b, std::int64_t b_row_stride,
                                         std::int64_t b_column_stride, T* c, std::int64_t c_stride, bool accumulate) {
    if (m == 0 || n == 0) return;
    if (!accumulate && (k == 0 || std::is_same_v<T, bool>))
        for (std::int64_t row = 0; row < m; ++row) std::fill(c + row * c_stride, c + row * c_stride + n, T(0));
    if (k == 0) return;
    if constexpr (tx::detail::blas_multiplies<T>)
        if (auto const* const blas = tx::detail::calls_of_program<tx::detail::blas_products<T>>())
            if (blas->multiply(m, n, k, a, a_row_stride, a_column_stride, b, b_row_stride, b_column_stride, c, c_stride,
                               accumulate))
                return;
    strided_matrix<T> const left{a, a_row_stride, a_column_stride}, right{b, b_row_stride, b_column_stride};
    if constexpr (std::is_same_v<T, bool>) {
        detail::multiply_bool(m, n, k, left, right, c, c_stride);
    } else if constexpr (std::is_same_v<T, half> || std::is_same_v<T, bfloat16>) {
        detail::multiply_in_float<T, Arch>(m, n, k, left, right, c, c_stride, accumulate);
    } else if constexpr (detail::is_complex<T>) {
        detail::multiply_complex<typename T::value_type, Arch>(m, n, k, left, right, c, c_stride, accumulate);
    } else if constexpr (tx::detail::is_dual_number<T>) {
        detail::multiply_dual<typename T::value_type, Arch>(m, n, k, left, right, c, c_stride, accumulate);
    } else {
        using U = wrapping<T>;
        strided_matrix<U> const x{reinterpret_cast<U const*>(a), a_row_stride, a_column_stride};
        strided_matrix<U> const y{reinterpret_cast<U const*>(b), b_row_stride, b_column_stride};
        U* const to = reinterpret_cast<U*>(c);
        if constexpr (std::is_same_v<U, std::uint32_t>)
            if (detail::multiply_pairs(m, n, k, x, y, to, c_stride, accumulate)) return;
        if constexpr (sizeof(U) >= 4)
            if (multiply_unpacked<U, Arch>(m, n, k, x, y, to, c_stride, accumulate)) return;
        multiply_blocked<U, Arch>(m, n, k, x, y, to, c_stride, accumulate);
    }
}

} // namespace tx::inline TRACEXPR_TARGET::simd
