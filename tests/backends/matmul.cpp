// This file tests matrix products against plain loops in a wider type.
#include <tracexpr/backends/contractions/matmul.hpp>

#include <doctest/doctest.h>

#include <complex>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <random>
#include <type_traits>
#include <vector>

namespace {

// An array, because a vector<bool> is none.
template <class T> std::unique_ptr<T[]> numbers(std::size_t count, int seed) {
    auto out = std::make_unique<T[]>(count);
    for (std::size_t i = 0; i < count; ++i) {
        int const value = static_cast<int>((i * 37 + static_cast<std::size_t>(seed) * 11) % 23) - 11;
        if constexpr (std::is_same_v<T, bool>) out[i] = value > 6;
        else if constexpr (std::is_integral_v<T> || std::is_floating_point_v<T>) out[i] = static_cast<T>(value);
        else if constexpr (sizeof(T) == 2) out[i] = T(value);
        else out[i] = T(static_cast<typename T::value_type>(value), static_cast<typename T::value_type>(seed - value));
    }
    return out;
}

// Every product and sum is exact, whatever the order. The operands end where their memory ends, so that a sanitizer sees
// every read and write outside.
template <int M, int N, int K, class T, bool TransA, bool TransB, class Arch> void check_small() {
    auto const a = numbers<T>(M * K, 1), b = numbers<T>(K * N, 2);
    auto const c = numbers<T>(M * N, 3);
    tx::simd::matmul_small<M, N, K, T, TransA, TransB, Arch>(a.get(), b.get(), c.get());
    bool good = true;
    for (std::size_t i = 0; i < M; ++i)
        for (std::size_t j = 0; j < N; ++j) {
            T sum = 0;
            for (std::size_t k = 0; k < K; ++k) sum += a[TransA ? k * M + i : i * K + k] * b[TransB ? j * K + k : k * N + j];
            good = good && c[i * N + j] == sum;
        }
    INFO(M, " x ", N, " x ", K, " transposed ", TransA, TransB);
    CHECK(good);
}

template <int M, int N, int K, class T, class Arch = xsimd::default_arch> void check_small_all() {
    check_small<M, N, K, T, false, false, Arch>();
    check_small<M, N, K, T, true, false, Arch>();
    check_small<M, N, K, T, false, true, Arch>();
    check_small<M, N, K, T, true, true, Arch>();
}

} // namespace

TEST_CASE_TEMPLATE("matmul_small: all small extents", T, float, double, std::int32_t) {
    check_small_all<1, 1, 1, T>();
    check_small_all<1, 3, 2, T>();
    check_small_all<2, 2, 2, T>();
    check_small_all<3, 3, 3, T>();
    check_small_all<3, 3, 1, T>();
    check_small_all<4, 3, 4, T>();
    check_small_all<4, 4, 4, T>();
    check_small_all<6, 4, 4, T>();
    check_small_all<5, 5, 5, T>();
    check_small_all<5, 6, 7, T>();
    check_small_all<8, 7, 3, T>();
    check_small_all<8, 8, 8, T>();
    check_small_all<4, 8, 8, T>();
    check_small_all<3, 11, 2, T>();
    check_small_all<9, 9, 9, T>();
    check_small_all<2, 19, 5, T>();
    check_small_all<4, 1, 4, T>();
    check_small_all<3, 1, 3, T>();
    check_small_all<8, 1, 8, T>();
    check_small_all<9, 1, 4, T>();
    check_small_all<2, 1, 6, T>();
    check_small_all<1, 7, 11, T>();
    check_small_all<16, 4, 4, T>();
    check_small_all<2, 2, 4, T>();
    check_small_all<16, 1, 16, T>();
    check_small_all<5, 1, 33, T>();
    check_small_all<1, 16, 16, T>();
    check_small_all<1, 1, 16, T>();
    check_small_all<1, 5, 9, T>();
#if defined(__SSE2__)
    check_small_all<3, 3, 3, T, xsimd::sse2>();
    check_small_all<4, 4, 4, T, xsimd::sse2>();
    check_small_all<8, 7, 8, T, xsimd::sse2>();
#endif
}

namespace {

template <class T> struct wider {
    using type = double;
};
template <std::integral T> struct wider<T> {
    using type = std::uint64_t;
};
template <class R> struct wider<std::complex<R>> {
    using type = std::complex<double>;
};
template <class T> auto in_double(T const& value) { return static_cast<typename wider<T>::type>(value); }
template <class T, class W> T narrowed(W const& value) {
    if constexpr (std::is_same_v<T, std::complex<float>>)
        return {static_cast<float>(value.real()), static_cast<float>(value.imag())};
    else return static_cast<T>(value);
}

enum class order { row_major, column_major, spread };

struct layout {
    std::int64_t row_stride, column_stride, elements;
};
layout layout_of(order o, std::int64_t rows, std::int64_t columns) {
    switch (o) {
    case order::row_major: return {columns + 1, 1, rows * (columns + 1)};
    case order::column_major: return {1, rows + 2, columns * (rows + 2)};
    default: return {2 * columns + 1, 2, rows * (2 * columns + 1)};
    }
}

template <class T, class Arch = xsimd::default_arch>
void check_gemm(std::int64_t m, std::int64_t n, std::int64_t k, order of_a, order of_b, bool accumulate) {
    auto const la = layout_of(of_a, m, k), lb = layout_of(of_b, k, n);
    auto const a = numbers<T>(static_cast<std::size_t>(la.elements), 1), b = numbers<T>(static_cast<std::size_t>(lb.elements), 2);
    std::int64_t const stride = n + 3;
    auto const before = numbers<T>(static_cast<std::size_t>(m * stride), 3);
    auto const c = numbers<T>(static_cast<std::size_t>(m * stride), 3);
    tx::simd::gemm<T, Arch>(m, n, k, a.get(), la.row_stride, la.column_stride, b.get(), lb.row_stride, lb.column_stride, c.get(),
                            stride, accumulate);
    bool good = true;
    for (std::int64_t i = 0; i < m; ++i)
        for (std::int64_t j = 0; j < stride; ++j) {
            auto const at = static_cast<std::size_t>(i * stride + j);
            auto sum = in_double(accumulate || j >= n ? before[at] : T(0));
            for (std::int64_t p = 0; p < k && j < n; ++p)
                sum += in_double(a[static_cast<std::size_t>(i * la.row_stride + p * la.column_stride)]) *
                       in_double(b[static_cast<std::size_t>(p * lb.row_stride + j * lb.column_stride)]);
            good = good && c[at] == narrowed<T>(sum);
        }
    INFO(m, " x ", n, " x ", k, " orders ", int(of_a), int(of_b), " accumulate ", accumulate);
    CHECK(good);
}

template <class T, class Arch = xsimd::default_arch> void check_sizes(std::initializer_list<std::int64_t> sizes) {
    for (auto m : sizes)
        for (auto n : sizes)
            for (auto k : sizes) check_gemm<T, Arch>(m, n, k, order((m + n) % 3), order((n + k) % 3), (m + k) % 2 == 1);
}

} // namespace

// Small integers again: all sums stay exact in float, and below 2048 / 256 where the type is a 16-bit float.
TEST_CASE_TEMPLATE("gemm: edges of tiles", T, float, double, std::int32_t, std::int64_t, std::uint8_t) {
    check_sizes<T>({0, 1, 2, 5, 12, 13, 16, 17, 31, 33, 40});
}
TEST_CASE("gemm: 32-bit integers that fit in 16 bits, and wrap in sums; one that does not") {
    std::mt19937 from(5);
    for (std::int64_t const m : {4, 25, 2051}) // more rows than are packed at once
        for (std::int64_t const n : {16, 33})
            for (std::int64_t const k : {16, 17, 1025})
                for (int way = 0; way < 8; ++way) {
                    bool const adds = way & 1, transposed = way & 2, is_wide = way & 4;
                    std::vector<std::int32_t> a, b, got(static_cast<std::size_t>(m * n), 7);
                    for (std::int64_t i = 0; i < m * k; ++i) a.push_back(static_cast<std::int32_t>(from() % 65536) - 32768);
                    for (std::int64_t i = 0; i < k * n; ++i) b.push_back(static_cast<std::int32_t>(from() % 65536) - 32768);
                    if (is_wide) b.back() = 32768;
                    tx::simd::strided_matrix<std::int32_t> const left{a.data(), transposed ? 1 : k, transposed ? m : 1}, right{b.data(), transposed ? 1 : n, transposed ? k : 1};
                    tx::simd::gemm<std::int32_t>(m, n, k, left.data, left.row_stride, left.column_stride, right.data, right.row_stride, right.column_stride, got.data(), n, adds);
                    bool same = true;
                    for (std::int64_t i = 0; i < m; ++i)
                        for (std::int64_t j = 0; j < n; ++j) {
                            std::uint32_t sum = adds ? 7 : 0;
                            for (std::int64_t p = 0; p < k; ++p) sum += static_cast<std::uint32_t>(*left.at(i, p)) * static_cast<std::uint32_t>(*right.at(p, j));
                            same = same && static_cast<std::uint32_t>(got[static_cast<std::size_t>(i * n + j)]) == sum;
                        }
                    INFO(m, " ", n, " ", k, " ", way);
                    CHECK(same);
                }
}
TEST_CASE_TEMPLATE("gemm: every other dtype", T, bool, std::int8_t, std::int16_t, std::uint16_t, std::uint32_t, std::uint64_t,
                   std::complex<float>, std::complex<double>) {
    check_sizes<T>({0, 1, 3, 17});
}
TEST_CASE_TEMPLATE("gemm: 16-bit floats are rounded once", T, tx::half, tx::bfloat16) { check_sizes<T>({0, 1, 3, 17, 40}); }

TEST_CASE_TEMPLATE("gemm: a vector on either side", T, float, double, std::int16_t) {
    for (std::int64_t const length : {1, 2, 4, 7, 33, 70})
        for (std::int64_t const k : {1, 3, 8, 36, 67})
            for (order const of_a : {order::row_major, order::column_major, order::spread})
                for (order const of_b : {order::row_major, order::column_major, order::spread})
                    for (bool const accumulate : {false, true}) {
                        check_gemm<T>(length, 1, k, of_a, of_b, accumulate);
                        check_gemm<T>(1, length, k, of_a, of_b, accumulate);
                    }
    check_gemm<T>(1, 5000, 5, order::row_major, order::row_major, false);
    check_gemm<T>(5000, 1, 6, order::column_major, order::row_major, false);
}

TEST_CASE_TEMPLATE("gemm: several cache blocks, all storage orders", T, float, double) {
    for (order of_a : {order::row_major, order::column_major, order::spread})
        for (order of_b : {order::row_major, order::column_major, order::spread}) {
            check_gemm<T>(251, 70, 800, of_a, of_b, false);
            check_gemm<T>(13, 33, 430, of_a, of_b, true);
        }
    check_gemm<T>(50, 2100, 7, order::row_major, order::row_major, false);
}
#if defined(__SSE2__)
TEST_CASE_TEMPLATE("gemm: a narrower architecture", T, float, double) { check_sizes<T, xsimd::sse2>({1, 3, 6, 8, 9, 20}); }
#endif
