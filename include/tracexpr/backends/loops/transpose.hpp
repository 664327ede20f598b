// This file transposes. A strided read costs a cache line for every element, so a kernel that needs one first transposes a tile
// into scratch memory; the tile goes through registers in square blocks of the machine's vector width.
#pragma once

#include <tracexpr/backends/vectors/lanes.hpp>
#include <tracexpr/base/config.hpp>

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace tx::inline TRACEXPR_TARGET::simd {

namespace detail {

// Within each group of L lanes: interleaves the blocks of B lanes of the lower (Half 0) or upper (1) halves of a and b.
template <int B, int L, int W, int Half> struct interleaved {
    static constexpr int at(int lane) {
        int const block = lane % L / B;
        return lane / L * L + (block / 2 + Half * (L / B / 2)) * B + lane % B + block % 2 * W;
    }
};
// Takes the even (Odd 0) or odd (1) blocks of B lanes of a, then those of b.
template <int B, int Odd> struct every_other {
    static constexpr int at(int lane) { return (2 * (lane / B) + Odd) * B + lane % B; }
};

// Does one level of a transposition network: rows i and i + D of each run of 2 D rows are combined and become, in place, rows i
// and i + D of the run, or its rows 2 i and 2 i + 1.
template <class First, class Second, int D, bool InPlace, int W, class V, int... I>
TRACEXPR_INLINE void exchange(V (&rows)[W], std::integer_sequence<int, I...>) {
    V out[W];
    constexpr auto run = [](int pair) { return pair / D * 2 * D; };
    ((out[InPlace ? run(I) + I % D : run(I) + 2 * (I % D)] = shuffle<First, W>(rows[run(I) + I % D], rows[run(I) + I % D + D]),
      out[InPlace ? run(I) + I % D + D : run(I) + 2 * (I % D) + 1] =
          shuffle<Second, W>(rows[run(I) + I % D], rows[run(I) + I % D + D])),
     ...);
    ((rows[2 * I] = out[2 * I], rows[2 * I + 1] = out[2 * I + 1]), ...);
}
} // namespace detail

// Transposes a W x W block held in W vectors: first the 4x4 (or 2x2) blocks within the groups of 128 bits, which every machine
// shuffles cheaply, then the groups.
template <int W, class V> TRACEXPR_INLINE void transpose_block(V (&rows)[W]) {
    constexpr int group = static_cast<int>(16 * W / sizeof(V)) < W ? static_cast<int>(16 * W / sizeof(V)) : W;
    constexpr std::make_integer_sequence<int, W / 2> pairs{};
    using detail::every_other, detail::interleaved;
    if constexpr (group >= 2) detail::exchange<interleaved<1, group, W, 0>, interleaved<1, group, W, 1>, 1, false>(rows, pairs);
    if constexpr (group >= 4) detail::exchange<interleaved<2, group, W, 0>, interleaved<2, group, W, 1>, 2, false>(rows, pairs);
    if constexpr (W >= 2 * group) detail::exchange<every_other<group, 0>, every_other<group, 1>, group, true>(rows, pairs);
    if constexpr (W >= 4 * group) detail::exchange<every_other<group, 0>, every_other<group, 1>, 2 * group, true>(rows, pairs);
}

namespace detail {

template <class T, int W, int... I> TRACEXPR_INLINE void copy_block(T const* source, std::int64_t source_stride, T* out,
                                                                    std::int64_t out_stride, std::integer_sequence<int, I...>) {
    using word = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    lanes<word, W> rows[W];
    (std::memcpy(&rows[I], source + I * source_stride, sizeof rows[I]), ...);
    transpose_block(rows);
    (std::memcpy(static_cast<void*>(out + I * out_stride), &rows[I], sizeof rows[I]), ...);
}

template <class T> TRACEXPR_INLINE void copy_transposed_plain(std::int64_t rows, std::int64_t columns, T const* source,
                                                              std::int64_t source_stride, T* out, std::int64_t out_stride) {
    for (std::int64_t row = 0; row < rows; ++row)
        for (std::int64_t column = 0; column < columns; ++column)
            out[row * out_stride + column] = source[column * source_stride + row];
}
// Transposes in blocks of W x W; the last ones overlap those in front of them.
template <class T, int W> TRACEXPR_INLINE void copy_blocks(std::int64_t rows, std::int64_t columns, T const* source,
                                                           std::int64_t source_stride, T* out, std::int64_t out_stride) {
    // The blocks are visited along the source's rows, so that a cache line which two blocks share is still cached for the second.
    for (std::int64_t next_column = 0; next_column < columns; next_column += W) {
        std::int64_t const column = std::min(next_column, columns - W);
        for (std::int64_t next_row = 0; next_row < rows; next_row += W) {
            std::int64_t const row = std::min(next_row, rows - W);
            copy_block<T, W>(source + column * source_stride + row, source_stride, out + row * out_stride + column, out_stride,
                             std::make_integer_sequence<int, W>{});
        }
    }
}
// Transposes in the largest blocks that fit.
template <class T, int W> TRACEXPR_INLINE void copy_fitting_blocks(std::int64_t rows, std::int64_t columns, T const* source,
                                                                   std::int64_t source_stride, T* out, std::int64_t out_stride) {
    if constexpr (W < 4) copy_transposed_plain(rows, columns, source, source_stride, out, out_stride);
    else if (rows >= W && columns >= W) copy_blocks<T, W>(rows, columns, source, source_stride, out, out_stride);
    else copy_fitting_blocks<T, W / 2>(rows, columns, source, source_stride, out, out_stride);
}
} // namespace detail

// out[row * out_stride + column] = source[column * source_stride + row] for a tile of (rows x columns); the arrays must not
// overlap. The tile should fit in L1 with room to spare; 32 rows and 128 columns are best for large matrices.
template <class T, class Arch = simd::default_arch> inline void pack_transposed(std::int64_t rows, std::int64_t columns,
                                                                                T const* source, std::int64_t source_stride,
                                                                                T* out, std::int64_t out_stride) {
    static_assert(std::is_trivially_copyable_v<T>);
    if constexpr (sizeof(T) == 4 || sizeof(T) == 8) {
        detail::copy_fitting_blocks<T, native_lanes<T, Arch>>(rows, columns, source, source_stride, out, out_stride);
    } else {
        constexpr std::int64_t edge = 16;
        for (std::int64_t row = 0; row < rows; row += edge)
            for (std::int64_t column = 0; column < columns; column += edge)
                detail::copy_transposed_plain(std::min(edge, rows - row), std::min(edge, columns - column),
                                              source + column * source_stride + row, source_stride,
                                              out + row * out_stride + column, out_stride);
    }
}

namespace detail {
template <int W, class T> TRACEXPR_INLINE void interleave_blocks(std::int64_t rows, std::int64_t columns, T const* const* from,
                                                                 T* out, std::int64_t out_stride) {
    [&]<int... K>(std::integer_sequence<int, K...>) TRACEXPR_INLINE_LAMBDA {
        for (std::int64_t next_row = 0; next_row < rows; next_row += W) {
            std::int64_t const row = std::min(next_row, rows - W);
            for (std::int64_t next_column = 0; next_column < columns; next_column += W) {
                std::int64_t const column = std::min(next_column, columns - W);
                lanes<T, W> block[W]{load<W>(from[column + K] + row)...};
                transpose_block(block);
                (store<W>(out + (row + K) * out_stride + column, block[K]), ...);
            }
        }
    }(std::make_integer_sequence<int, W>{});
}
template <int W, class T> TRACEXPR_INLINE void interleave_fitting(std::int64_t rows, std::int64_t columns, T const* const* from,
                                                                  T* out, std::int64_t out_stride) {
    if constexpr (W < 4) {
        for (std::int64_t row = 0; row < rows; ++row)
            for (std::int64_t column = 0; column < columns; ++column) out[row * out_stride + column] = from[column][row];
    } else if (rows >= W && columns >= W) {
        interleave_blocks<W>(rows, columns, from, out, out_stride);
    } else {
        interleave_fitting<W / 2>(rows, columns, from, out, out_stride);
    }
}
} // namespace detail

// out[row * out_stride + column] = from[column][row]; the arrays must not overlap.
template <class T, class Arch = simd::default_arch>
inline void interleave(std::int64_t rows, std::int64_t columns, T const* const* from, T* out, std::int64_t out_stride) {
    if constexpr (std::is_arithmetic_v<T> && (sizeof(T) == 4 || sizeof(T) == 8))
        detail::interleave_fitting<native_lanes<T, Arch>>(rows, columns, from, out, out_stride);
    else detail::interleave_fitting<1>(rows, columns, from, out, out_stride);
}

namespace detail {
// Transposes elements i .. count - 1 of W arrays into lanes: element i of all arrays is the vector at to + i * W. It works in
// blocks of Part lanes, and does the rest in smaller ones.
template <int W, int Part = W, class T>
TRACEXPR_INLINE void to_lanes(std::int64_t i, std::int64_t count, T const* const* from, T* to) {
    if constexpr (Part == 1) {
        for (; i < count; ++i)
            for (int lane = 0; lane < W; ++lane) to[i * W + lane] = from[lane][i];
    } else {
        [&]<int... K>(std::integer_sequence<int, K...>) TRACEXPR_INLINE_LAMBDA {
            for (; i + Part <= count; i += Part)
                for (int lane = 0; lane < W; lane += Part) {
                    lanes<T, Part> block[Part]{load<Part>(from[lane + K] + i)...};
                    transpose_block(block);
                    (store<Part>(to + (i + K) * W + lane, block[K]), ...);
                }
        }(std::make_integer_sequence<int, Part>{});
        to_lanes<W, Part / 2>(i, count, from, to);
    }
}
// Prefetches an array that will be read (Written 0) or written (1), if it is several cache lines long: many arrays side by side
// are too short for hardware prefetching.
template <int Written, class T> TRACEXPR_INLINE void fetch_elements(T const* from, std::int64_t count) {
    constexpr std::int64_t line = 64 / static_cast<std::int64_t>(sizeof(T));
    if (count < 4 * line) return;
    for (std::int64_t i = 0; i < count; i += line) __builtin_prefetch(from + i, Written);
}

// This is the inverse of to_lanes.
template <int W, int Part = W, class T>
TRACEXPR_INLINE void from_lanes(std::int64_t i, std::int64_t count, T const* from, T* const* to) {
    if constexpr (Part == 1) {
        for (; i < count; ++i)
            for (int lane = 0; lane < W; ++lane) to[lane][i] = from[i * W + lane];
    } else {
        [&]<int... K>(std::integer_sequence<int, K...>) TRACEXPR_INLINE_LAMBDA {
            for (; i + Part <= count; i += Part)
                for (int lane = 0; lane < W; lane += Part) {
                    lanes<T, Part> block[Part]{load<Part>(from + (i + K) * W + lane)...};
                    transpose_block(block);
                    (store<Part>(to[lane + K] + i, block[K]), ...);
                }
        }(std::make_integer_sequence<int, Part>{});
        from_lanes<W, Part / 2>(i, count, from, to);
    }
}
} // namespace detail

} // namespace tx::inline TRACEXPR_TARGET::simd
