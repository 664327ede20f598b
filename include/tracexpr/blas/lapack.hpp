// This file calls LAPACK's matrix decompositions and solves triangular systems by CBLAS. Matrices are in row-major order, which
// Fortran reads as their transpose.
#pragma once

#include <tracexpr/backends/calls/symmetric.hpp>
#include <tracexpr/base/config.hpp>

#include <cblas.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

// These are LAPACK's entry points under names of our own, because other headers declare the same symbols, each a little
// differently. The last arguments are the lengths of strings, which Fortran passes as hidden arguments.
extern "C" {
void tracexpr_spotrf(char const* triangle, int const* n, float* a, int const* stride, int* info, std::size_t)
    TRACEXPR_SYMBOL("spotrf_");
void tracexpr_dpotrf(char const* triangle, int const* n, double* a, int const* stride, int* info, std::size_t)
    TRACEXPR_SYMBOL("dpotrf_");
void tracexpr_sgetrf(int const* m, int const* n, float* a, int const* stride, int* pivots, int* info) TRACEXPR_SYMBOL("sgetrf_");
void tracexpr_dgetrf(int const* m, int const* n, double* a, int const* stride, int* pivots, int* info) TRACEXPR_SYMBOL("dgetrf_");
void tracexpr_ssyevd(char const* wanted, char const* triangle, int const* n, float* a, int const* stride, float* values,
                     float* work, int const* work_size, int* more_work, int const* more_work_size, int* info, std::size_t,
                     std::size_t) TRACEXPR_SYMBOL("ssyevd_");
void tracexpr_dsyevd(char const* wanted, char const* triangle, int const* n, double* a, int const* stride, double* values,
                     double* work, int const* work_size, int* more_work, int const* more_work_size, int* info, std::size_t,
                     std::size_t) TRACEXPR_SYMBOL("dsyevd_");
void tracexpr_sgeev(char const* left, char const* right, int const* n, float* a, int const* stride, float* real, float* imaginary,
                    float* left_vectors, int const* left_stride, float* vectors, int const* vectors_stride, float* work,
                    int const* work_size, int* info, std::size_t, std::size_t) TRACEXPR_SYMBOL("sgeev_");
void tracexpr_dgeev(char const* left, char const* right, int const* n, double* a, int const* stride, double* real,
                    double* imaginary, double* left_vectors, int const* left_stride, double* vectors, int const* vectors_stride,
                    double* work, int const* work_size, int* info, std::size_t, std::size_t) TRACEXPR_SYMBOL("dgeev_");
void tracexpr_sgeqrf(int const* m, int const* n, float* a, int const* stride, float* factors, float* work, int const* work_size,
                     int* info) TRACEXPR_SYMBOL("sgeqrf_");
void tracexpr_dgeqrf(int const* m, int const* n, double* a, int const* stride, double* factors, double* work,
                     int const* work_size, int* info) TRACEXPR_SYMBOL("dgeqrf_");
void tracexpr_sorgqr(int const* m, int const* n, int const* k, float* a, int const* stride, float const* factors, float* work,
                     int const* work_size, int* info) TRACEXPR_SYMBOL("sorgqr_");
void tracexpr_dorgqr(int const* m, int const* n, int const* k, double* a, int const* stride, double const* factors, double* work,
                     int const* work_size, int* info) TRACEXPR_SYMBOL("dorgqr_");
void tracexpr_sgesdd(char const* wanted, int const* m, int const* n, float* a, int const* stride, float* s, float* u,
                     int const* u_stride, float* vt, int const* vt_stride, float* work, int const* work_size, int* more_work,
                     int* info, std::size_t) TRACEXPR_SYMBOL("sgesdd_");
void tracexpr_dgesdd(char const* wanted, int const* m, int const* n, double* a, int const* stride, double* s, double* u,
                     int const* u_stride, double* vt, int const* vt_stride, double* work, int const* work_size, int* more_work,
                     int* info, std::size_t) TRACEXPR_SYMBOL("dgesdd_");
}

namespace tx::inline TRACEXPR_TARGET {

// `lapack` holds the decompositions that the core asks of a LAPACK. Each function returns false, and leaves nothing that counts,
// for what it can't do: matrices so small that the call costs more than it saves, sizes beyond LAPACK's integers, and matrices
// for which it finds no answer.
struct lapack {
    template <class T> static constexpr bool knows = std::is_same_v<T, float> || std::is_same_v<T, double>;

    // Computes the lower triangular L with L L^T = (a + a^T) / 2, (n, n) -> (n, n), with zeros above the diagonal.
    template <class T> requires knows<T> static bool cholesky(std::int64_t n, T const* a, T* out) {
        if (!fits(n)) return false;
        plain::copy_symmetric(n, a, out);
        int const order = static_cast<int>(n);
        int info = 0;
        if constexpr (std::is_same_v<T, float>) tracexpr_spotrf("U", &order, out, &order, &info, 1);
        else tracexpr_dpotrf("U", &order, out, &order, &info, 1);
        for (std::int64_t i = 0; i < n; ++i) std::fill_n(out + i * n + i + 1, n - i - 1, T(0));
        return info == 0;
    }

    // Replaces a (n, n) by its factors L and U and gives the rows' places and the swaps' signs; see
    // backends/calls/decompositions.hpp. Returns false, with a unchanged, where LAPACK can't.
    template <class T> requires knows<T> static bool lu(std::int64_t n, T* a, std::int64_t* places, T* signs) {
        if (!fits(n)) return false;
        std::vector<T> columns(static_cast<std::size_t>(n * n));
        transpose(n, n, a, n, columns.data(), n);
        std::vector<int> pivots(static_cast<std::size_t>(n));
        int const order = static_cast<int>(n);
        int info = 0;
        if constexpr (std::is_same_v<T, float>) tracexpr_sgetrf(&order, &order, columns.data(), &order, pivots.data(), &info);
        else tracexpr_dgetrf(&order, &order, columns.data(), &order, pivots.data(), &info);
        for (std::int64_t i = 0; i < n; ++i)
            if (int const p = pivots[static_cast<std::size_t>(i)]; info < 0 || p <= i || p > n) return false;
        transpose(n, n, columns.data(), n, a, n);
        write_pivots(n, pivots.data(), places, signs);
        return true;
    }

    // Computes the eigenvalues of a symmetric a (n, n), with the eigenvectors in the rows of `vectors`.
    template <class T> requires knows<T> static bool eigh(std::int64_t n, T const* a, T* values, T* vectors) {
        if (!fits(n)) return false;
        std::copy_n(a, n * n, vectors);
        int const order = static_cast<int>(n), ask = -1;
        int info = 0, more_size = 0;
        T size = T(0);
        syevd(&order, vectors, values, &size, &ask, &more_size, &ask, &info);
        if (info != 0) return false;
        int const work_size = rounded_up(size);
        std::vector<T> work(static_cast<std::size_t>(work_size));
        std::vector<int> more(static_cast<std::size_t>(more_size));
        syevd(&order, vectors, values, work.data(), &work_size, more.data(), &more_size, &info);
        return info == 0;
    }

    // Computes the eigenvalues of any a (n, n), and eigenvectors of length 1 in the columns of `vectors` unless that is null.
    template <class T> requires knows<T>
    static bool eig(std::int64_t n, T const* a, std::complex<T>* values, std::complex<T>* vectors) {
        if (!fits(n)) return false;
        std::vector<T> columns(static_cast<std::size_t>(n * n)), parts(static_cast<std::size_t>(2 * n)),
            found(static_cast<std::size_t>(vectors ? n * n : 1));
        transpose(n, n, a, n, columns.data(), n);
        int const order = static_cast<int>(n), ask = -1;
        T* const real = parts.data();
        T* const imaginary = real + n;
        char const* const wanted = vectors ? "V" : "N";
        T size = T(0);
        if (geev(wanted, order, columns.data(), real, imaginary, found.data(), &size, ask) != 0) return false;
        int const work_size = rounded_up(size);
        std::vector<T> work(static_cast<std::size_t>(work_size));
        if (geev(wanted, order, columns.data(), real, imaginary, found.data(), work.data(), work_size) != 0) return false;
        for (std::int64_t k = 0; k < n; ++k) {
            values[k] = {real[k], imaginary[k]};
            if (!vectors) continue;
            // Of two conjugate eigenvalues the first, above the real line, has the real and the imaginary part of its vector.
            std::int64_t const first = imaginary[k] < T(0) ? k - 1 : k;
            for (std::int64_t i = 0; i < n; ++i) {
                T const other = imaginary[k] == T(0) ? T(0) : found[static_cast<std::size_t>((first + 1) * n + i)];
                vectors[i * n + k] = {found[static_cast<std::size_t>(first * n + i)], first == k ? other : -other};
            }
        }
        return true;
    }

    // Computes q (m, k) and r (k, n) of a (m, n), where k is the smaller of m and n. For k below `least_side` plain::qr is as
    // fast.
    template <class T> requires knows<T> static bool qr(std::int64_t m, std::int64_t n, T const* a, T* q, T* r) {
        constexpr std::int64_t least_side = 320;
        std::int64_t const k = std::min(m, n);
        if (k < least_side || !fits(std::max(m, n))) return false;
        std::vector<T> columns(static_cast<std::size_t>(m * n)), factors(static_cast<std::size_t>(k)), work;
        transpose(n, m, a, n, columns.data(), m);
        int const height = static_cast<int>(m), width = static_cast<int>(n), side = static_cast<int>(k), ask = -1;
        T size = T(0), more = T(0);
        if (geqrf(height, width, columns.data(), factors.data(), &size, ask) != 0 ||
            orgqr(height, side, columns.data(), factors.data(), &more, ask) != 0)
            return false;
        int const work_size = rounded_up(std::max(size, more));
        work.resize(static_cast<std::size_t>(work_size));
        if (geqrf(height, width, columns.data(), factors.data(), work.data(), work_size) != 0) return false;
        transpose(k, n, columns.data(), m, r, n);
        for (std::int64_t i = 0; i < k; ++i) std::fill_n(r + i * n, i, T(0));
        if (orgqr(height, side, columns.data(), factors.data(), work.data(), work_size) != 0) return false;
        transpose(m, k, columns.data(), m, q, k);
        return true;
    }

    // Computes u (m, k), s (k) and vh (k, n) of a (m, n). Fortran reads a as its transpose, which is V diag(s) U^T.
    template <class T> requires knows<T> static bool svd(std::int64_t m, std::int64_t n, T const* a, T* u, T* s, T* vh) {
        std::int64_t const k = std::min(m, n);
        if (!fits(k) || !fits(std::max(m, n))) return false;
        std::vector<T> copy(a, a + m * n), work;
        std::vector<int> more(static_cast<std::size_t>(8 * k));
        int const rows = static_cast<int>(n), columns = static_cast<int>(m), least = static_cast<int>(k), ask = -1;
        T size = T(0);
        if (gesdd(rows, columns, least, copy.data(), s, vh, u, &size, ask, more.data()) != 0) return false;
        int const work_size = rounded_up(size);
        work.resize(static_cast<std::size_t>(work_size));
        return gesdd(rows, columns, least, copy.data(), s, vh, u, work.data(), work_size, more.data()) == 0;
    }

    // Replaces b by the x of a x = b, (n, k); a is a triangle whose rows are `stride` apart.
    template <class T> requires knows<T>
    static bool solve_triangular(std::int64_t n, std::int64_t k, T const* a, std::int64_t stride, bool lower, bool transposed,
                                 bool unit, T* x) {
        if (!fits(n) || stride > std::numeric_limits<int>::max() || k < 1 || k > std::numeric_limits<int>::max()) return false;
        auto const part = lower ? CblasLower : CblasUpper;
        auto const order = transposed ? CblasTrans : CblasNoTrans;
        auto const diagonal = unit ? CblasUnit : CblasNonUnit;
        int const rows = static_cast<int>(n), columns = static_cast<int>(k), pace = static_cast<int>(stride);
        if constexpr (std::is_same_v<T, float>)
            cblas_strsm(CblasRowMajor, CblasLeft, part, order, diagonal, rows, columns, 1.0f, a, pace, x, columns);
        else cblas_dtrsm(CblasRowMajor, CblasLeft, part, order, diagonal, rows, columns, 1.0, a, pace, x, columns);
        return true;
    }

private:
    // Gives a size of memory as an integer; in float it comes rounded.
    template <class T> static int rounded_up(T size) {
        return static_cast<int>(std::nextafter(size, std::numeric_limits<T>::max())) + 1;
    }
    static bool fits(std::int64_t n) {
        constexpr std::int64_t least = 16, most = std::numeric_limits<int>::max();
        return n >= least && n <= most - 2;
    }
    static void syevd(int const* n, float* a, float* values, float* work, int const* size, int* more, int const* more_size,
                      int* info) {
        tracexpr_ssyevd("V", "U", n, a, n, values, work, size, more, more_size, info, 1, 1);
    }
    static void syevd(int const* n, double* a, double* values, double* work, int const* size, int* more, int const* more_size,
                      int* info) {
        tracexpr_dsyevd("V", "U", n, a, n, values, work, size, more, more_size, info, 1, 1);
    }
    template <class T> static int geev(char const* wanted, int n, T* a, T* real, T* imaginary, T* vectors, T* work, int size) {
        int info = 0, one = 1;
        if constexpr (std::is_same_v<T, float>)
            tracexpr_sgeev("N", wanted, &n, a, &n, real, imaginary, nullptr, &one, vectors, &n, work, &size, &info, 1, 1);
        else tracexpr_dgeev("N", wanted, &n, a, &n, real, imaginary, nullptr, &one, vectors, &n, work, &size, &info, 1, 1);
        return info;
    }
    template <class T> static int geqrf(int m, int n, T* a, T* factors, T* work, int size) {
        int info = 0;
        if constexpr (std::is_same_v<T, float>) tracexpr_sgeqrf(&m, &n, a, &m, factors, work, &size, &info);
        else tracexpr_dgeqrf(&m, &n, a, &m, factors, work, &size, &info);
        return info;
    }
    template <class T> static int orgqr(int m, int k, T* a, T const* factors, T* work, int size) {
        int info = 0;
        if constexpr (std::is_same_v<T, float>) tracexpr_sorgqr(&m, &k, &k, a, &m, factors, work, &size, &info);
        else tracexpr_dorgqr(&m, &k, &k, a, &m, factors, work, &size, &info);
        return info;
    }
    template <class T> static int gesdd(int m, int n, int k, T* a, T* s, T* u, T* vt, T* work, int size, int* more) {
        int info = 0;
        if constexpr (std::is_same_v<T, float>)
            tracexpr_sgesdd("S", &m, &n, a, &m, s, u, &m, vt, &k, work, &size, more, &info, 1);
        else tracexpr_dgesdd("S", &m, &n, a, &m, s, u, &m, vt, &k, work, &size, more, &info, 1);
        return info;
    }
    // Writes the transpose of a (columns, rows) matrix to `to`, which is (rows, columns).
    template <class T> static void transpose(std::int64_t rows, std::int64_t columns, T const* from, std::int64_t from_stride,
                                             T* to, std::int64_t to_stride) {
        constexpr std::int64_t block = 16;
        for (std::int64_t top = 0; top < rows; top += block)
            for (std::int64_t left = 0; left < columns; left += block)
                for (std::int64_t i = top; i < std::min(top + block, rows); ++i)
                    for (std::int64_t j = left; j < std::min(left + block, columns); ++j)
                        to[i * to_stride + j] = from[j * from_stride + i];
    }
    // Converts LAPACK's pivots, by which row i was swapped with row pivots[i], counted from 1.
    template <class T> static void write_pivots(std::int64_t n, int const* pivots, std::int64_t* places, T* signs) {
        for (std::int64_t i = 0; i < n; ++i) places[i] = i;
        for (std::int64_t i = 0; i < n; ++i) {
            std::int64_t const other = pivots[i] - 1;
            std::swap(places[i], places[other]);
            signs[i] = other == i ? T(1) : T(-1);
        }
    }
};

} // namespace tx::inline TRACEXPR_TARGET
