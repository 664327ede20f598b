// This file reads and writes columns of a matrix (outer, n, inner) as lanes of a buffer, for any strides between the columns.
#pragma once

#include <tracexpr/fft/lanes.hpp>

#include <cstdint>

namespace tx::detail::inline TRACEXPR_TARGET::fourier {

// `columns` holds W columns. The first number of lane l's column is at offset[l], and `stride` numbers of T lie from one to the
// next. The numbers of complex columns are pairs of T.
template <class T, int W> struct columns {
    std::int64_t offset[W];
    std::int64_t stride;
    bool are_neighbours; // Each column is next to the one before it.
    bool are_rows;       // Columns are rows of memory at equal distances.
};

// Gives columns first to first + W - 1 of (outer, n, inner) numbers, each of `parts` Ts.
template <class T, int W> columns<T, W> columns_at(std::int64_t first, std::int64_t n, std::int64_t inner, std::int64_t parts) {
    columns<T, W> out{{}, inner * parts, inner > 1, inner == 1};
    if (inner == 1) {
        out.offset[0] = first * n * parts;
        for (int l = 1; l < W; ++l) out.offset[l] = out.offset[l - 1] + n * parts;
        return out;
    }
    for (int l = 0; l < W; ++l) {
        std::int64_t const column = first + l;
        out.offset[l] = (column / inner * n * inner + column % inner) * parts;
        if (l > 0 && out.offset[l] != out.offset[l - 1] + parts) out.are_neighbours = false;
    }
    return out;
}

// This reads and writes rows of interleaved numbers, with `distance` numbers of T from one row to the next. Blocks of 16 bytes
// are joined with those of other rows when they are loaded, so that the rest of the transpose stays within blocks.
template <class T, int W> struct row_blocks {
    using order = interleaving<T, W>;
    static constexpr int per_block = order::per_block, numbers = per_block / 2; // `numbers` counts complex numbers in a block.

    // Reads as many units as a block has numbers.
    static TRACEXPR_INLINE void load(unit<T, W>* to, T const* from, std::int64_t distance, T sign) {
        vec<T, W> x[per_block];
        unrolled<per_block>([&](auto h) TRACEXPR_INLINE_LAMBDA { load_blocks<W, h, 0>(x[h], from, distance); });
        unrolled<numbers>([&](auto k) TRACEXPR_INLINE_LAMBDA {
            vec<T, W> a, b;
            if constexpr (numbers == 1) {
                a = x[0], b = x[1];
            } else {
                using by_half = typename order::template by_halves<decltype(k)::value>;
                a = shuffle<by_half, W>(x[0], x[1]), b = shuffle<by_half, W>(x[2], x[3]);
            }
            to[k].re = shuffle<typename order::template parts<0>, W>(a, b);
            to[k].im = shuffle<typename order::template parts<1>, W>(a, b) * sign;
        });
    }
    static TRACEXPR_INLINE void store(unit<T, W> const* from, T* to, std::int64_t distance, T sign) {
        vec<T, W> x[per_block];
        unrolled<2>([&](auto j) TRACEXPR_INLINE_LAMBDA {
            using joined = typename order::template joined<decltype(j)::value>;
            if constexpr (numbers == 1) {
                x[j] = shuffle<joined, W>(from[0].re, from[0].im * sign);
            } else {
                vec<T, W> const a = shuffle<joined, W>(from[0].re, from[0].im * sign);
                vec<T, W> const b = shuffle<joined, W>(from[1].re, from[1].im * sign);
                x[2 * j] = shuffle<typename order::template by_halves<0>, W>(a, b);
                x[2 * j + 1] = shuffle<typename order::template by_halves<1>, W>(a, b);
            }
        });
        unrolled<per_block>([&](auto h) TRACEXPR_INLINE_LAMBDA { store_blocks<W, h, 0>(x[h], to, distance); });
    }

private:
    // Block b of vector H has the numbers of lane b * per_block + H.
    template <int V, int H, int Block>
    static TRACEXPR_INLINE void load_blocks(vec<T, V>& to, T const* from, std::int64_t distance) {
        if constexpr (V == per_block) {
            load_vector(to, from + order::order(Block * per_block + H) * distance);
        } else {
            vec<T, V / 2> low, high;
            load_blocks<V / 2, H, Block>(low, from, distance);
            load_blocks<V / 2, H, Block + V / 2 / per_block>(high, from, distance);
            join_halves<V>(to, low, high);
        }
    }
    template <int V, int H, int Block>
    static TRACEXPR_INLINE void store_blocks(vec<T, V> const& v, T* to, std::int64_t distance) {
        if constexpr (V == per_block) {
            store_vector(to + order::order(Block * per_block + H) * distance, v);
        } else {
            vec<T, V / 2> low, high;
            split_halves<V>(v, low, high);
            store_blocks<V / 2, H, Block>(low, to, distance);
            store_blocks<V / 2, H, Block + V / 2 / per_block>(high, to, distance);
        }
    }
};

// Reads n units of complex columns, conjugated where sign is -1. (Lanes are in the order of interleaving, see lanes.hpp.)
template <class T, int W> void read_complex(T const* from, columns<T, W> const& c, std::int64_t n, T* to, T sign) {
    using order = interleaving<T, W>;
    if (c.are_neighbours) {
        for (std::int64_t k = 0; k < n; ++k) {
            unit<T, W> a;
            load_interleaved(a, from + c.offset[0] + k * c.stride, sign);
            store_unit(to + k * 2 * W, a);
        }
        return;
    }
    if constexpr (W > 1) {
        using blocks = row_blocks<T, W>;
        if (c.are_rows && n >= blocks::numbers) {
            T const* const first = from + c.offset[0];
            std::int64_t const distance = c.offset[1] - c.offset[0];
            for (std::int64_t b = 0; b < n; b += blocks::numbers) {
                std::int64_t const k = b + blocks::numbers > n ? n - blocks::numbers : b;
                unit<T, W> a[blocks::numbers];
                blocks::load(a, first + 2 * k, distance, sign);
                unrolled<blocks::numbers>([&](auto i) TRACEXPR_INLINE_LAMBDA { store_unit(to + (k + i) * 2 * W, a[i]); });
            }
            return;
        }
    }
    for (std::int64_t k = 0; k < n; ++k)
        for (int l = 0; l < W; ++l) {
            T const* const number = from + c.offset[order::order(l)] + k * c.stride;
            to[k * 2 * W + l] = number[0], to[k * 2 * W + W + l] = number[1] * sign;
        }
}
template <class T, int W> void write_complex(T const* from, columns<T, W> const& c, std::int64_t n, T* to, T sign) {
    using order = interleaving<T, W>;
    if (c.are_neighbours) {
        for (std::int64_t k = 0; k < n; ++k) {
            unit<T, W> a;
            load_unit(a, from + k * 2 * W);
            store_interleaved(to + c.offset[0] + k * c.stride, a, sign);
        }
        return;
    }
    if constexpr (W > 1) {
        using blocks = row_blocks<T, W>;
        if (c.are_rows && n >= blocks::numbers) {
            T* const first = to + c.offset[0];
            std::int64_t const distance = c.offset[1] - c.offset[0];
            for (std::int64_t b = 0; b < n; b += blocks::numbers) {
                std::int64_t const k = b + blocks::numbers > n ? n - blocks::numbers : b;
                unit<T, W> a[blocks::numbers];
                unrolled<blocks::numbers>([&](auto i) TRACEXPR_INLINE_LAMBDA { load_unit(a[i], from + (k + i) * 2 * W); });
                blocks::store(a, first + 2 * k, distance, sign);
            }
            return;
        }
    }
    for (std::int64_t k = 0; k < n; ++k)
        for (int l = 0; l < W; ++l) {
            T* const number = to + c.offset[order::order(l)] + k * c.stride;
            number[0] = from[k * 2 * W + l], number[1] = from[k * 2 * W + W + l] * sign;
        }
}

// Reads real columns of 2 n numbers: number 2 k becomes the real part of unit k, and number 2 k + 1 the imaginary part.
template <class T, int W> void read_pairs(T const* from, columns<T, W> const& c, std::int64_t n, T* to) {
    using order = interleaving<T, W>;
    if (c.stride == 1) {
        columns<T, W> rows = c;
        rows.stride = 2;
        read_complex<T, W>(from, rows, n, to, T(1));
    } else if (c.are_neighbours) {
        for (std::int64_t k = 0; k < 2 * n; ++k) {
            vec<T, W> a;
            load_vector(a, from + c.offset[0] + k * c.stride);
            store_vector(to + k * W, shuffle<typename order::ordered, W>(a, a));
        }
    } else {
        for (std::int64_t k = 0; k < 2 * n; ++k)
            for (int l = 0; l < W; ++l) to[k * W + l] = from[c.offset[order::order(l)] + k * c.stride];
    }
}
// Writes n units to real columns of 2 n numbers, which is the inverse of read_pairs; imaginary parts are multiplied by sign.
template <class T, int W> void write_pairs(T const* from, columns<T, W> const& c, std::int64_t n, T* to, T sign) {
    using order = interleaving<T, W>;
    if (c.stride == 1) {
        columns<T, W> rows = c;
        rows.stride = 2;
        write_complex<T, W>(from, rows, n, to, sign);
    } else if (c.are_neighbours) {
        for (std::int64_t k = 0; k < 2 * n; ++k) {
            vec<T, W> a;
            load_vector(a, from + k * W);
            if (k % 2 != 0) a = a * sign;
            store_vector(to + c.offset[0] + k * c.stride, shuffle<typename order::unordered, W>(a, a));
        }
    } else {
        for (std::int64_t k = 0; k < 2 * n; ++k)
            for (int l = 0; l < W; ++l)
                to[c.offset[order::order(l)] + k * c.stride] = from[k * W + l] * (k % 2 != 0 ? sign : T(1));
    }
}

} // namespace tx::detail::inline TRACEXPR_TARGET::fourier
