// Computes matrix products through CBLAS, and decompositions through LAPACK (blas/lapack.hpp). If one file of a program includes
// this header, the program uses them for all but small products of float, double and their complex types, and for all but small
// matrices of float and double. All files that link the CMake target tracexpr::blas do so, as it defines TRACEXPR_USE_BLAS.
#pragma once

#include <tracexpr/base/config.hpp>

TRACEXPR_BEGIN_SHARED
#include <tracexpr/backends/contractions/blas_calls.hpp>
#include <tracexpr/blas/lapack.hpp>
TRACEXPR_END_SHARED

#include <cblas.h>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace tx {

namespace detail::inline TRACEXPR_TARGET {

inline void cblas_multiply(CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, int m, int n, int k, float const* a, int lda, float const* b,
                           int ldb, float beta, float* c, int ldc) {
    cblas_sgemm(CblasRowMajor, ta, tb, m, n, k, 1.0f, a, lda, b, ldb, beta, c, ldc);
}
inline void cblas_multiply(CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, int m, int n, int k, double const* a, int lda, double const* b,
                           int ldb, double beta, double* c, int ldc) {
    cblas_dgemm(CblasRowMajor, ta, tb, m, n, k, 1.0, a, lda, b, ldb, beta, c, ldc);
}
inline void cblas_multiply(CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, int m, int n, int k, std::complex<float> const* a, int lda,
                           std::complex<float> const* b, int ldb, std::complex<float> beta, std::complex<float>* c, int ldc) {
    std::complex<float> const one = 1.0f;
    cblas_cgemm(CblasRowMajor, ta, tb, m, n, k, &one, a, lda, b, ldb, &beta, c, ldc);
}
inline void cblas_multiply(CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, int m, int n, int k, std::complex<double> const* a, int lda,
                           std::complex<double> const* b, int ldb, std::complex<double> beta, std::complex<double>* c, int ldc) {
    std::complex<double> const one = 1.0;
    cblas_zgemm(CblasRowMajor, ta, tb, m, n, k, &one, a, lda, b, ldb, &beta, c, ldc);
}

// Computes y = a x or y += a x, where a is (m, n) before it is transposed.
inline void cblas_times_vector(CBLAS_TRANSPOSE order, int m, int n, float const* a, int lda, float const* x, int x_step,
                               float beta, float* y, int y_step) {
    cblas_sgemv(CblasRowMajor, order, m, n, 1.0f, a, lda, x, x_step, beta, y, y_step);
}
inline void cblas_times_vector(CBLAS_TRANSPOSE order, int m, int n, double const* a, int lda, double const* x, int x_step,
                               double beta, double* y, int y_step) {
    cblas_dgemv(CblasRowMajor, order, m, n, 1.0, a, lda, x, x_step, beta, y, y_step);
}
inline void cblas_times_vector(CBLAS_TRANSPOSE order, int m, int n, std::complex<float> const* a, int lda,
                               std::complex<float> const* x, int x_step, std::complex<float> beta, std::complex<float>* y,
                               int y_step) {
    std::complex<float> const one = 1.0f;
    cblas_cgemv(CblasRowMajor, order, m, n, &one, a, lda, x, x_step, &beta, y, y_step);
}
inline void cblas_times_vector(CBLAS_TRANSPOSE order, int m, int n, std::complex<double> const* a, int lda,
                               std::complex<double> const* x, int x_step, std::complex<double> beta, std::complex<double>* y,
                               int y_step) {
    std::complex<double> const one = 1.0;
    cblas_zgemv(CblasRowMajor, order, m, n, &one, a, lda, x, x_step, &beta, y, y_step);
}

// Describes a matrix to BLAS, which must be contiguous along one of its axes.
struct cblas_layout {
    CBLAS_TRANSPOSE order;
    std::int64_t leading;
    bool fits;
};
inline cblas_layout cblas_layout_of(std::int64_t rows, std::int64_t columns, std::int64_t row_stride,
                                    std::int64_t column_stride) {
    if ((column_stride == 1 || columns == 1) && row_stride >= columns) return {CblasNoTrans, row_stride, true};
    if ((row_stride == 1 || rows == 1) && column_stride >= rows) return {CblasTrans, column_stride, true};
    if (column_stride == 1 && rows == 1) return {CblasNoTrans, columns, true};
    if (row_stride == 1 && columns == 1) return {CblasTrans, rows, true};
    return {CblasNoTrans, 0, false};
}
} // namespace detail::inline TRACEXPR_TARGET

inline namespace TRACEXPR_TARGET {
// Computes the core's matrix products by BLAS.
struct cblas {
    template <class T> static constexpr bool knows = std::is_same_v<T, float> || std::is_same_v<T, double> ||
                                                     std::is_same_v<T, std::complex<float>> ||
                                                     std::is_same_v<T, std::complex<double>>;

    // Computes c (m, n) = or += a (m, k) * b (k, n). Returns false and does nothing for a product so small that the call would
    // cost more than it saves, and for strides or sizes that BLAS can't describe.
    template <class T> requires knows<T>
    static bool multiply(std::int64_t m, std::int64_t n, std::int64_t k, T const* a, std::int64_t a_row_stride,
                         std::int64_t a_column_stride, T const* b, std::int64_t b_row_stride, std::int64_t b_column_stride, T* c,
                         std::int64_t c_stride, bool accumulate) {
        constexpr std::int64_t most = std::numeric_limits<int>::max(), small = 64;
        bool const pays =
            static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k) > static_cast<double>(small * small * small);
        auto const left = detail::cblas_layout_of(m, k, a_row_stride, a_column_stride);
        auto const right = detail::cblas_layout_of(k, n, b_row_stride, b_column_stride);
        if (pays && n == 1 && left.fits && b_row_stride > 0 && std::max({m, k, left.leading, b_row_stride, c_stride}) <= most) {
            bool const plain = left.order == CblasNoTrans;
            detail::cblas_times_vector(left.order, static_cast<int>(plain ? m : k), static_cast<int>(plain ? k : m), a,
                                       static_cast<int>(left.leading), b, static_cast<int>(b_row_stride), T(accumulate ? 1 : 0),
                                       c, static_cast<int>(c_stride));
            return true;
        }
        if (!pays || !left.fits || !right.fits || std::max({m, n, k, left.leading, right.leading, c_stride}) > most) return false;
        detail::cblas_multiply(left.order, right.order, static_cast<int>(m), static_cast<int>(n), static_cast<int>(k), a,
                               static_cast<int>(left.leading), b, static_cast<int>(right.leading), T(accumulate ? 1 : 0), c,
                               static_cast<int>(c_stride));
        return true;
    }
};

} // namespace TRACEXPR_TARGET

namespace detail::inline TRACEXPR_TARGET {
template <class T> inline constexpr blas_products<T> products_by_cblas{&cblas::multiply<T>};
template <class T> inline constexpr lapack_methods<T> methods_of_lapack{
    &lapack::cholesky<T>,        &lapack::lu<T>, &lapack::eigh<T>, &lapack::eig<T>, &lapack::qr<T>, &lapack::svd<T>,
    &lapack::solve_triangular<T>};
inline constexpr blas_calls calls_of_blas{products_by_cblas<float>,
                                          products_by_cblas<double>,
                                          products_by_cblas<std::complex<float>>,
                                          products_by_cblas<std::complex<double>>,
                                          methods_of_lapack<float>,
                                          methods_of_lapack<double>};

// Returns whether the processor has the instructions that this file is compiled for.
inline bool runs_this_file() {
    bool out = true;
#if defined(__GNUC__) && !defined(__CUDACC__) && (defined(__x86_64__) || defined(__i386__))
    __builtin_cpu_init();
#if defined(__AVX512F__)
    out = out && __builtin_cpu_supports("avx512f");
#endif
#if defined(__AVX2__)
    out = out && __builtin_cpu_supports("avx2");
#endif
#if defined(__AVX__)
    out = out && __builtin_cpu_supports("avx");
#endif
#endif
    return out;
}
inline bool bring_blas() {
    if (!runs_this_file()) return false;
    blas_of_program.store(&calls_of_blas, std::memory_order_release);
    return true;
}
// This variable is initialized before the other variables of a file that includes this header.
inline bool const blas_is_here = bring_blas();
} // namespace detail::inline TRACEXPR_TARGET

} // namespace tx
