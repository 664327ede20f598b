// This file multiplies matrices of float, double and integers by Goto's scheme (K. Goto, R. van de Geijn, "Anatomy of
// High-Performance Matrix Multiplication", ACM TOMS 34(3), 2008) in the form of BLIS (F. Van Zee, R. van de Geijn, ACM TOMS
// 41(3), 2015): b is packed into panels as wide as a register tile, and a into panels as high; each block fits the cache level
// that it is read from, and the tile of c stays in registers. It runs on one thread. Operands may have any strides, as packing
// makes them contiguous.
#pragma once

#include <tracexpr/backends/contractions/matrix.hpp>
#include <tracexpr/backends/loops/transpose.hpp>
#include <tracexpr/backends/vectors/lanes.hpp>
#include <tracexpr/base/config.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace tx::inline TRACEXPR_TARGET::simd {

namespace detail {

// The register tile is tile_rows x (tile_vectors * lanes). Its 24 (or 12) accumulators hide the latency of the FMA, and leave
// registers for a row of b and an element of a.
template <class Arch> inline constexpr int tile_rows = register_count<Arch> == 32 ? 12 : 6;
inline constexpr int tile_vectors = 2;

// Cache blocks have these sizes, in elements: a block of a (m x k) takes 360 KiB of L2, and one of b (k x n) 3 MiB of L3. A long
// k matters most, because the tile of c is read and written once for each block of k.
template <class T> inline constexpr std::int64_t block_k = 3072 / static_cast<std::int64_t>(sizeof(T));
inline constexpr std::int64_t block_m = 120, block_n = 1024;

// `tile` is the kernel for a register tile of one height and width. `run` sets c (Rows x Vectors * W, row stride c_stride) to the
// product of a packed panel of a (k x Rows) and one of b (k x Vectors * W), or adds it.
template <class T, int W, int Rows, int Vectors, class = std::make_integer_sequence<int, Rows>,
          class = std::make_integer_sequence<int, Vectors>>
struct tile;
template <class T, int W, int Rows, int Vectors, int... Row, int... Vector>
struct tile<T, W, Rows, Vectors, std::integer_sequence<int, Row...>, std::integer_sequence<int, Vector...>> {
    using vector = lanes<T, W>;

    static TRACEXPR_INLINE void add_row(vector (&sums)[Vectors], vector const (&b)[Vectors], T factor) {
        ((sums[Vector] = b[Vector] * factor + sums[Vector]), ...);
    }
    static TRACEXPR_INLINE void store_row(vector const (&sums)[Vectors], T* c, bool accumulate) {
        if (accumulate) (store<W>(c + Vector * W, load<W>(c + Vector * W) + sums[Vector]), ...);
        else (store<W>(c + Vector * W, sums[Vector]), ...);
    }
    static TRACEXPR_NOINLINE void run(std::int64_t k, T const* a, T const* b, T* c, std::int64_t c_stride, bool accumulate) {
        vector sums[Rows][Vectors] = {};
        ((__builtin_prefetch(c + Row * c_stride), __builtin_prefetch(c + Row * c_stride + Vectors * W - 1)), ...);
        for (std::int64_t step = 0; step < k; ++step, a += Rows, b += Vectors * W) {
            vector const row_of_b[Vectors] = {load<W>(b + Vector * W)...};
            (add_row(sums[Row], row_of_b, a[Row]), ...);
        }
        (store_row(sums[Row], c + Row * c_stride, accumulate), ...);
    }
};

template <class T>
using tile_function = void (*)(std::int64_t k, T const* a, T const* b, T* c, std::int64_t c_stride, bool accumulate);

// Returns the kernels of all heights (number 0 has a single row) for a number of vectors.
template <class T, int W, int Vectors, int... Row> constexpr auto tiles_of_width(std::integer_sequence<int, Row...>) {
    return std::array<tile_function<T>, sizeof...(Row)>{tile<T, W, Row + 1, Vectors>::run...};
}
template <class T, class Arch> inline constexpr std::array tiles{
    tiles_of_width<T, native_lanes<T, Arch>, 1>(std::make_integer_sequence<int, tile_rows<Arch>>{}),
    tiles_of_width<T, native_lanes<T, Arch>, 2>(std::make_integer_sequence<int, tile_rows<Arch>>{})};

// Packs a panel of a, `Rows` high: out[step * Rows + row] = a(row, step). It writes up to W elements past the end.
template <int Rows, int W, class T, int... Row, int... Step> TRACEXPR_INLINE void
pack_block(T const* a, std::int64_t row_stride, T* out, std::integer_sequence<int, Row...>, std::integer_sequence<int, Step...>) {
    lanes<T, W> block[W] = {};
    ((block[Row] = load<W>(a + Row * row_stride)), ...);
    transpose_block(block);
    (store<W>(out + Step * Rows, block[Step]), ...);
}
template <class T, int W, int Rows> TRACEXPR_NOINLINE void pack_rows(strided_matrix<T> a, std::int64_t k, T* out) {
    std::int64_t step = 0;
    if constexpr (Rows <= W && std::is_floating_point_v<T>) {
        if (a.column_stride == 1)
            for (; step + W <= k; step += W)
                pack_block<Rows, W>(a.at(0, step), a.row_stride, out + step * Rows, std::make_integer_sequence<int, Rows>{},
                                    std::make_integer_sequence<int, W>{});
    }
    if (a.row_stride == 1) {
        for (; step < k; ++step) std::memcpy(out + step * Rows, a.at(0, step), Rows * sizeof(T));
    } else {
        for (; step < k; ++step)
            for (int row = 0; row < Rows; ++row) out[step * Rows + row] = *a.at(row, step);
    }
}
// `packers` has pack_rows for each height of a panel, number 0 for a single row.
template <class T> using pack_function = void (*)(strided_matrix<T> a, std::int64_t k, T* out);
template <class T, int W, int... Row> constexpr auto packers_of(std::integer_sequence<int, Row...>) {
    return std::array<pack_function<T>, sizeof...(Row)>{pack_rows<T, W, Row + 1>...};
}
template <class T, class Arch> inline constexpr auto packers =
    packers_of<T, native_lanes<T, Arch>>(std::make_integer_sequence<int, tile_rows<Arch>>{});

// Packs a panel of b, with `width` columns of which `used` exist: out[step * width + column] = b(step, column), and 0 for the
// missing ones.
template <class T, class Arch>
void pack_columns(strided_matrix<T> b, std::int64_t k, std::int64_t used, std::int64_t width, T* out) {
    if (b.column_stride == 1) {
        for (std::int64_t step = 0; step < k; ++step) {
            T const* const from = b.at(step, 0);
            T* const to = out + step * width;
            if (used == width) {
                constexpr int w = native_lanes<T, Arch>;
                for (std::int64_t column = 0; column < width; column += w) store<w>(to + column, load<w>(from + column));
            } else {
                std::copy(from, from + used, to);
                std::fill(to + used, to + width, T(0));
            }
        }
        return;
    }
    if (b.row_stride == 1) {
        pack_transposed<T, Arch>(k, used, b.data, b.column_stride, out, width);
    } else {
        for (std::int64_t step = 0; step < k; ++step)
            for (std::int64_t column = 0; column < used; ++column) out[step * width + column] = *b.at(step, column);
    }
    if (used != width)
        for (std::int64_t step = 0; step < k; ++step) std::fill(out + step * width + used, out + (step + 1) * width, T(0));
}

// Splits the rows of a block into panels of nearly equal height, so that none is too low to hide the FMA's latency.
struct panel_split {
    std::int64_t total, count;

    std::int64_t begin(std::int64_t panel) const { return total * panel / count; }
};

// Multiplies a packed block of a and a packed block of b. Tiles that stick out of c are computed in `edge`.
template <class T, class Arch> void multiply_block(panel_split rows, std::int64_t n, std::int64_t k, T const* a, T const* b, T* c,
                                                   std::int64_t c_stride, bool accumulate) {
    constexpr std::int64_t w = native_lanes<T, Arch>, width = tile_vectors * w;
    for (std::int64_t column = 0; column < n; column += width) {
        std::int64_t const used = std::min(width, n - column), vectors = (used + w - 1) / w;
        for (std::int64_t panel = 0; panel < rows.count; ++panel) {
            std::int64_t const row = rows.begin(panel), height = rows.begin(panel + 1) - row;
            auto const kernel = tiles<T, Arch>[static_cast<std::size_t>(vectors - 1)][static_cast<std::size_t>(height - 1)];
            T* const to = c + row * c_stride + column;
            if (used == vectors * w) {
                kernel(k, a + row * k, b + column * k, to, c_stride, accumulate);
                continue;
            }
            T edge[static_cast<std::size_t>(tile_rows<Arch> * width)];
            kernel(k, a + row * k, b + column * k, edge, width, false);
            for (std::int64_t i = 0; i < height; ++i)
                for (std::int64_t j = 0; j < used; ++j)
                    to[i * c_stride + j] =
                        accumulate ? static_cast<T>(to[i * c_stride + j] + edge[i * width + j]) : edge[i * width + j];
        }
    }
}

template <class T, class Arch> void pack_block_of_b(strided_matrix<T> b, std::int64_t k, std::int64_t n, T* out) {
    constexpr std::int64_t w = native_lanes<T, Arch>, width = tile_vectors * w;
    for (std::int64_t column = 0; column < n; column += width) {
        std::int64_t const used = std::min(width, n - column);
        pack_columns<T, Arch>(b.from(0, column), k, used, (used + w - 1) / w * w, out + column * k);
    }
}

template <class T, class Arch> void pack_block_of_a(strided_matrix<T> a, panel_split rows, std::int64_t k, T* out) {
    for (std::int64_t panel = 0; panel < rows.count; ++panel) {
        std::int64_t const row = rows.begin(panel), height = rows.begin(panel + 1) - row;
        packers<T, Arch>[static_cast<std::size_t>(height - 1)](a.from(row, 0), k, out + row * k);
    }
}
} // namespace detail

// c = a * b or c += a * b: c is (m, n) with row stride c_stride and contiguous columns, a is (m, k), b is (k, n). c must not
// overlap a or b.
template <class T, class Arch = simd::default_arch> void multiply_blocked(std::int64_t m, std::int64_t n, std::int64_t k,
                                                                          strided_matrix<T> a, strided_matrix<T> b, T* c,
                                                                          std::int64_t c_stride, bool accumulate) {
    struct of_this_product;
    detail::scratch_memory& memory = tx::detail::per_thread<detail::scratch_memory, of_this_product>();
    constexpr std::int64_t w = native_lanes<T, Arch>, most_k = detail::block_k<T>, most_n = detail::block_n;
    constexpr std::int64_t most_m = detail::block_m, tile_rows = detail::tile_rows<Arch>;
    std::int64_t const a_elements = (std::min(m, most_m) * std::min(k, most_k) + 2 * w + 15) / 16 * 16;
    T* const packed_a = memory.template get<T>(a_elements + (std::min(n, most_n) + w) * std::min(k, most_k));
    T* const packed_b = packed_a + a_elements;
    for (std::int64_t column = 0; column < n; column += most_n) {
        std::int64_t const columns = std::min(most_n, n - column);
        for (std::int64_t step = 0; step < k; step += most_k) {
            std::int64_t const steps = std::min(most_k, k - step);
            detail::pack_block_of_b<T, Arch>(b.from(step, column), steps, columns, packed_b);
            for (std::int64_t row = 0; row < m; row += most_m) {
                std::int64_t const rows = std::min(most_m, m - row);
                detail::panel_split const split{rows, (rows + tile_rows - 1) / tile_rows};
                detail::pack_block_of_a<T, Arch>(a.from(row, step), split, steps, packed_a);
                detail::multiply_block<T, Arch>(split, columns, steps, packed_a, packed_b, c + row * c_stride + column, c_stride,
                                                accumulate || step > 0);
            }
        }
    }
}

} // namespace tx::inline TRACEXPR_TARGET::simd
