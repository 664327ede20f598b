// This file declares BLAS and LAPACK as functions that a program may have. A source file that includes tracexpr/blas.hpp provides
// them, and the products and decompositions of all files of the program then try them first.
#pragma once

#include <tracexpr/base/config.hpp>

#include <atomic>
#include <complex>
#include <cstdint>
#include <type_traits>

namespace tx::detail {

// Each function returns false, without a result, for what it can't do, and where the call would cost more than it saves. The
// arguments are those of cblas::multiply and of lapack's functions.
template <class T> struct blas_products {
    bool (*multiply)(std::int64_t m, std::int64_t n, std::int64_t k, T const* a, std::int64_t a_row_stride,
                     std::int64_t a_column_stride, T const* b, std::int64_t b_row_stride, std::int64_t b_column_stride, T* c,
                     std::int64_t c_stride, bool accumulate);
};
template <class T> struct lapack_methods {
    bool (*cholesky)(std::int64_t n, T const* a, T* out);
    bool (*lu)(std::int64_t n, T* a, std::int64_t* places, T* signs);
    bool (*eigh)(std::int64_t n, T const* a, T* values, T* vectors);
    bool (*eig)(std::int64_t n, T const* a, std::complex<T>* values, std::complex<T>* vectors);
    bool (*qr)(std::int64_t m, std::int64_t n, T const* a, T* q, T* r);
    bool (*svd)(std::int64_t m, std::int64_t n, T const* a, T* u, T* s, T* vh);
    bool (*solve_triangular)(std::int64_t n, std::int64_t k, T const* a, std::int64_t stride, bool lower, bool transposed,
                             bool unit, T* x);
};
struct blas_calls : blas_products<float>,
                    blas_products<double>,
                    blas_products<std::complex<float>>,
                    blas_products<std::complex<double>>,
                    lapack_methods<float>,
                    lapack_methods<double> {};

// This pointer is null in a program without BLAS.
inline constinit std::atomic<blas_calls const*> blas_of_program = nullptr;

template <class T> inline constexpr bool blas_multiplies = std::is_base_of_v<blas_products<T>, blas_calls>;
template <class T> inline constexpr bool lapack_takes_apart = std::is_base_of_v<lapack_methods<T>, blas_calls>;

// Returns null in a program without BLAS.
template <class Calls> Calls const* calls_of_program() { return blas_of_program.load(std::memory_order_acquire); }

} // namespace tx::detail
