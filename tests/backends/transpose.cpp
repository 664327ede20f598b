// This file tests transposing copies against their definition.
#include <tracexpr/backends/loops/transpose.hpp>
#include <tracexpr/base/element.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

namespace {

template <class T> T value_at(std::int64_t i) { return static_cast<T>(static_cast<float>(i % 101)); }

template <class T, class Arch> void check_tile(std::int64_t rows, std::int64_t columns, std::int64_t source_stride, std::int64_t out_stride) {
    std::vector<T> source, out(static_cast<std::size_t>(rows * out_stride + 1), value_at<T>(99));
    for (std::int64_t i = 0; i < columns * source_stride + 1; ++i) source.push_back(value_at<T>(i * 7));
    tx::simd::pack_transposed<T, Arch>(rows, columns, source.data(), source_stride, out.data(), out_stride);
    bool good = true;
    for (std::int64_t i = 0; i < rows * out_stride + 1; ++i) {
        std::int64_t const row = i / out_stride, column = i % out_stride;
        bool const inside = row < rows && column < columns;
        T const expected = inside ? source[static_cast<std::size_t>(column * source_stride + row)] : value_at<T>(99);
        good = good && out[static_cast<std::size_t>(i)] == expected;
    }
    INFO(rows, " x ", columns);
    CHECK(good);
}

} // namespace

TEST_CASE_TEMPLATE("pack_transposed: every element lands, nothing else is touched", T, float, double, std::int32_t, std::int64_t,
                   std::int8_t, std::uint16_t, tx::half, std::complex<float>, std::complex<double>) {
    for (std::int64_t const rows : {0, 1, 3, 15, 16, 17, 40})
        for (std::int64_t const columns : {0, 1, 2, 8, 16, 31, 33}) {
            check_tile<T, xsimd::default_arch>(rows, columns, rows + 3, columns + 2);
            check_tile<T, xsimd::default_arch>(rows, columns, rows + 1, columns + 1);
#if defined(__SSE2__)
            check_tile<T, xsimd::sse2>(rows, columns, rows + 1, columns + 1);
#endif
        }
}

TEST_CASE("transpose_block: twice is nothing") {
    tx::simd::lanes<float, 4> rows[4];
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) rows[i][j] = static_cast<float>(10 * i + j);
    tx::simd::transpose_block(rows);
    CHECK(float(rows[1][2]) == 21);
    tx::simd::transpose_block(rows);
    CHECK(float(rows[1][2]) == 12);
}
