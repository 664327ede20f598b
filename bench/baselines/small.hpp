// Hand-written SIMD, plain loops and Eigen's fixed-size types for matrices and vectors that fit in a few registers.
// Headers, because at this size inlining decides. Each competitor is a class: its matrix and vector types, and its kernels.
#pragma once

#if defined(__GNUC__) && !defined(__clang__) // g++ 12 warns about its own _mm512_undefined_ps, g++ 13 no longer (bug 105593)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif

#include <Eigen/Core>

#if defined(__AVX512F__) && defined(__AVX512DQ__)
#include <immintrin.h>
#define BENCH_HAS_AVX512
#endif

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace small {

template <class T, std::size_t N> struct block {
    alignas(std::min<std::size_t>(64, N * sizeof(T) % 16 == 0 ? 64 : 16)) T values[N];
    T* data() { return values; }
    T const* data() const { return values; }
};

template <class T> struct plain {
    static constexpr char const* name = "plain";
    template <int N> using matrix = block<T, std::size_t(N) * N>;
    template <int N> using vector = block<T, N>;

    template <int N> static void matmul(matrix<N> const& a, matrix<N> const& b, matrix<N>& out) {
        for (int i = 0; i < N; ++i)
            for (int j = 0; j < N; ++j) {
                T total = 0;
                for (int k = 0; k < N; ++k) total += a.values[i * N + k] * b.values[k * N + j];
                out.values[i * N + j] = total;
            }
    }
    template <int N>
    static void chain(matrix<N> const& a, matrix<N> const& b, matrix<N> const& c, matrix<N> const& d, matrix<N>& out) {
        matrix<N> first;
        matrix<N> second;
        matmul<N>(a, b, first);
        matmul<N>(first, c, second);
        matmul<N>(second, d, out);
    }
    template <int N> static void layer(matrix<N> const& a, matrix<N> const& b, matrix<N> const& c, matrix<N>& out) {
        matrix<N> product;
        matmul<N>(a, b, product);
        for (int i = 0; i < N * N; ++i) out.values[i] = std::max(product.values[i], T(0)) + c.values[i];
    }
    template <int N> static void dot_axpy(vector<N> const& x, vector<N> const& y, vector<N>& out) {
        T total = 0;
        for (int i = 0; i < N; ++i) total += x.values[i] * y.values[i];
        for (int i = 0; i < N; ++i) out.values[i] = total * x.values[i] + y.values[i];
    }
    template <int N> static void axpy(vector<N> const& x, vector<N> const& y, vector<N>& out) {
        for (int i = 0; i < N; ++i) out.values[i] = T(0.5) * x.values[i] + y.values[i];
    }
};

template <class T> struct eigen {
    static constexpr char const* name = "eigen";
    template <int N> using matrix = Eigen::Matrix<T, N, N, Eigen::RowMajor>;
    template <int N> using vector = Eigen::Matrix<T, N, 1>;

    template <int N> static void matmul(matrix<N> const& a, matrix<N> const& b, matrix<N>& out) { out.noalias() = a * b; }
    template <int N>
    static void chain(matrix<N> const& a, matrix<N> const& b, matrix<N> const& c, matrix<N> const& d, matrix<N>& out) {
        out.noalias() = a * b * c * d;
    }
    template <int N> static void layer(matrix<N> const& a, matrix<N> const& b, matrix<N> const& c, matrix<N>& out) {
        out = (a * b).cwiseMax(T(0)) + c;
    }
    template <int N> static void dot_axpy(vector<N> const& x, vector<N> const& y, vector<N>& out) { out = x.dot(y) * x + y; }
    template <int N> static void axpy(vector<N> const& x, vector<N> const& y, vector<N>& out) { out = T(0.5) * x + y; }
};

// A row per SIMD register: out[i] = sum over k of a[i][k] * row k of b. `product` keeps its left operand and its result in
// registers, so a chain of products touches memory once.
template <class T, int N> struct rows_by_vector {
    static constexpr int lanes = N == 3 ? 4 : N;
    typedef T row __attribute__((vector_size(lanes * sizeof(T))));
    struct registers {
        row rows[N];
    };
    // A row may be wider than a register, and is not returned: compilers warn of how.
    static void load(T const* from, row& to) {
        to = row{};
        std::memcpy(&to, from, N * sizeof(T));
    }
    static registers load_matrix(T const* from) {
        registers r;
        for (int i = 0; i < N; ++i) load(from + i * N, r.rows[i]);
        return r;
    }
    static void store(registers const& r, T* to) {
        for (int i = 0; i < N; ++i) std::memcpy(to + i * N, &r.rows[i], N * sizeof(T));
    }
    static registers product(registers const& a, T const* b) {
        registers const right = load_matrix(b);
        registers r;
        for (int i = 0; i < N; ++i) {
            r.rows[i] = a.rows[i][0] * right.rows[0];
            for (int k = 1; k < N; ++k) r.rows[i] += a.rows[i][k] * right.rows[k];
        }
        return r;
    }
    static registers relu_plus(registers const& a, T const* c) {
        registers r = load_matrix(c);
        for (int i = 0; i < N; ++i) r.rows[i] += a.rows[i] > 0 ? a.rows[i] : row{};
        return r;
    }
};

#if defined(BENCH_HAS_AVX512)
// Nine elements as one SIMD register of eight and one more element, so that a matrix just stored can be loaded again at
// once (a masked store is not forwarded to a load: that costs a trip to the cache).
struct float_3x3 {
    using registers = __m512; // elements 0 to 8; the rest is zero
    static __m512 load_matrix(float const* from) {
        return _mm512_insertf32x8(_mm512_castps256_ps512(_mm256_loadu_ps(from)), _mm256_castps128_ps256(_mm_load_ss(from + 8)), 1);
    }
    static void store(__m512 r, float* to) {
        _mm256_storeu_ps(to, _mm512_castps512_ps256(r));
        _mm_store_ss(to + 8, _mm512_extractf32x4_ps(r, 2));
    }
    // Each k costs one permutation of either operand.
    static __m512 product(__m512 a, float const* from) {
        __m512 const b = load_matrix(from);
        auto const left = [a](int k) {
            return _mm512_permutexvar_ps(_mm512_setr_epi32(k, k, k, k + 3, k + 3, k + 3, k + 6, k + 6, k + 6, 9, 9, 9, 9, 9, 9, 9), a);
        };
        auto const right = [b](int k) {
            int const row = 3 * k;
            return _mm512_permutexvar_ps(_mm512_setr_epi32(row, row + 1, row + 2, row, row + 1, row + 2, row, row + 1, row + 2, 9, 9, 9,
                                                           9, 9, 9, 9),
                                         b);
        };
        __m512 const first = _mm512_fmadd_ps(left(1), right(1), _mm512_mul_ps(left(0), right(0)));
        return _mm512_fmadd_ps(left(2), right(2), first);
    }
    static __m512 relu_plus(__m512 a, float const* c) {
        return _mm512_add_ps(_mm512_max_ps(a, _mm512_setzero_ps()), load_matrix(c));
    }
};
struct double_3x3 {
    struct registers {
        __m512d eight;
        __m512d last; // element 8, eight times
    };
    static registers load_matrix(double const* from) { return {_mm512_loadu_pd(from), _mm512_set1_pd(from[8])}; }
    static void store(registers const& r, double* to) {
        _mm512_storeu_pd(to, r.eight);
        _mm_store_sd(to + 8, _mm512_castpd512_pd128(r.last));
    }
    static registers product(registers const& a, double const* from) {
        registers const b = load_matrix(from);
        auto const pick = [](registers const& m, __m512i at) { return _mm512_permutex2var_pd(m.eight, at, m.last); };
        auto const left = [&](int k) { return pick(a, _mm512_setr_epi64(k, k, k, k + 3, k + 3, k + 3, k + 6, k + 6)); };
        auto const right = [&](int k) {
            int const row = 3 * k;
            return pick(b, _mm512_setr_epi64(row, row + 1, row + 2, row, row + 1, row + 2, row, row + 1));
        };
        auto const last = [&](int k) { return _mm512_mul_pd(pick(a, _mm512_set1_epi64(6 + k)), _mm512_set1_pd(from[3 * k + 2])); };
        __m512d const first = _mm512_fmadd_pd(left(1), right(1), _mm512_mul_pd(left(0), right(0)));
        return {_mm512_fmadd_pd(left(2), right(2), first), _mm512_add_pd(_mm512_add_pd(last(0), last(1)), last(2))};
    }
    static registers relu_plus(registers const& a, double const* c) {
        registers const b = load_matrix(c);
        __m512d const zero = _mm512_setzero_pd();
        return {_mm512_add_pd(_mm512_max_pd(a.eight, zero), b.eight), _mm512_add_pd(_mm512_max_pd(a.last, zero), b.last)};
    }
};

// The whole matrix in one register, a row per 128-bit lane.
struct float_4x4 {
    using registers = __m512;
    static __m512 load_matrix(float const* from) { return _mm512_loadu_ps(from); }
    static void store(__m512 r, float* to) { _mm512_storeu_ps(to, r); }
    static __m512 product(__m512 a, float const* b) {
        auto const row = [b](int k) { return _mm512_broadcast_f32x4(_mm_loadu_ps(b + 4 * k)); };
        __m512 const even = _mm512_fmadd_ps(_mm512_permute_ps(a, 0xaa), row(2), _mm512_mul_ps(_mm512_permute_ps(a, 0x00), row(0)));
        __m512 const odd = _mm512_fmadd_ps(_mm512_permute_ps(a, 0xff), row(3), _mm512_mul_ps(_mm512_permute_ps(a, 0x55), row(1)));
        return _mm512_add_ps(even, odd);
    }
    static __m512 relu_plus(__m512 a, float const* c) {
        return _mm512_add_ps(_mm512_max_ps(a, _mm512_setzero_ps()), _mm512_loadu_ps(c));
    }
};

// Two rows per register: the left operand's elements reach both halves by one permutation.
struct float_8x8 {
    struct registers {
        __m512 pairs[4];
    };
    static registers load_matrix(float const* from) {
        return {{_mm512_loadu_ps(from), _mm512_loadu_ps(from + 16), _mm512_loadu_ps(from + 32), _mm512_loadu_ps(from + 48)}};
    }
    static void store(registers const& r, float* to) {
        for (int i = 0; i < 4; ++i) _mm512_storeu_ps(to + 16 * i, r.pairs[i]);
    }
    static registers product(registers const& a, float const* b) {
        __m512i const first = _mm512_setr_epi32(0, 0, 0, 0, 0, 0, 0, 0, 8, 8, 8, 8, 8, 8, 8, 8);
        registers r;
        for (int k = 0; k < 8; ++k) {
            __m512 const row = _mm512_broadcast_f32x8(_mm256_loadu_ps(b + 8 * k));
            __m512i const at = _mm512_add_epi32(first, _mm512_set1_epi32(k));
            for (int i = 0; i < 4; ++i) {
                __m512 const element = _mm512_permutexvar_ps(at, a.pairs[i]);
                r.pairs[i] = k == 0 ? _mm512_mul_ps(element, row) : _mm512_fmadd_ps(element, row, r.pairs[i]);
            }
        }
        return r;
    }
    static registers relu_plus(registers const& a, float const* c) {
        registers r;
        for (int i = 0; i < 4; ++i)
            r.pairs[i] = _mm512_add_ps(_mm512_max_ps(a.pairs[i], _mm512_setzero_ps()), _mm512_loadu_ps(c + 16 * i));
        return r;
    }
};
#endif

template <class T, int N> struct kernel_choice : rows_by_vector<T, N> {};
#if defined(BENCH_HAS_AVX512)
template <> struct kernel_choice<float, 3> : float_3x3 {};
template <> struct kernel_choice<double, 3> : double_3x3 {};
template <> struct kernel_choice<float, 4> : float_4x4 {};
template <> struct kernel_choice<float, 8> : float_8x8 {};
#endif

template <class T> struct hand {
    static constexpr char const* name = "hand";
    template <int N> using matrix = block<T, std::size_t(N) * N>;
    template <int N> using vector = block<T, N>;

    template <int N> static void matmul(matrix<N> const& a, matrix<N> const& b, matrix<N>& out) {
        using k = kernel_choice<T, N>;
        k::store(k::product(k::load_matrix(a.values), b.values), out.values);
    }
    template <int N>
    static void chain(matrix<N> const& a, matrix<N> const& b, matrix<N> const& c, matrix<N> const& d, matrix<N>& out) {
        using k = kernel_choice<T, N>;
        k::store(k::product(k::product(k::product(k::load_matrix(a.values), b.values), c.values), d.values), out.values);
    }
    template <int N> static void layer(matrix<N> const& a, matrix<N> const& b, matrix<N> const& c, matrix<N>& out) {
        using k = kernel_choice<T, N>;
        k::store(k::relu_plus(k::product(k::load_matrix(a.values), b.values), c.values), out.values);
    }
    template <int N> static void dot_axpy(vector<N> const& x, vector<N> const& y, vector<N>& out) {
        typedef T all __attribute__((vector_size(N * sizeof(T))));
        all left, right;
        read(x, left), read(y, right);
        write(sum_of_lanes<N>(left * right) * left + right, out);
    }
    template <int N> static void axpy(vector<N> const& x, vector<N> const& y, vector<N>& out) {
        typedef T all __attribute__((vector_size(N * sizeof(T))));
        all left, right;
        read(x, left), read(y, right);
        write(T(0.5) * left + right, out);
    }

  private:
    template <class V, class B> static void read(B const& from, V& v) { std::memcpy(&v, from.values, sizeof v); }
    template <class V, class B> static void write(V const& v, B& to) { std::memcpy(to.values, &v, sizeof v); }
    // Halves added to halves.
    template <int N, class V> static T sum_of_lanes(V const& v) {
        if constexpr (N == 1)
            return v[0];
        else {
            typedef T half __attribute__((vector_size(N / 2 * sizeof(T))));
            half parts[2];
            std::memcpy(parts, &v, sizeof v);
            return sum_of_lanes<N / 2>(parts[0] + parts[1]);
        }
    }
};

} // namespace small
