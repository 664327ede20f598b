// Matrix products against plain loops in a wider type.
#include <tracexpr/backends/matmul_small.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

namespace {

template <class T> std::vector<T> numbers(std::size_t count, int seed) {
    std::vector<T> out(count);
    for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<T>(static_cast<int>((i * 37 + static_cast<std::size_t>(seed) * 11) % 23) - 11);
    return out;
}

// Small integers: every product and sum is exact, whatever the order. The operands end where their memory ends, so that a sanitizer sees
// every read and write outside.
template <int M, int N, int K, class T, bool TransA, bool TransB, class Arch> void check_small() {
    auto const a = numbers<T>(M * K, 1), b = numbers<T>(K * N, 2);
    std::vector<T> c(M * N, T(99));
    tx::simd::matmul_small<M, N, K, T, TransA, TransB, Arch>(a.data(), b.data(), c.data());
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
