// Lanes of a buffer are columns of a matrix (outer, n, inner): how they are read and written, whatever lies between them.
#pragma once

#include <tracexpr/fft/lanes.hpp>

#include <cstdint>

namespace tx::detail::inline TRACEXPR_TARGET::fourier {

// W columns; the first number of lane l's stands at offset[l], `stride` numbers of T from one to the next. Complex columns have
// pairs.
template <class T, int W> struct columns {
    std::int64_t offset[W];
    std::int64_t stride;
    bool are_neighbours; // each column stands beside the one before
};

// Columns `first` to first + W - 1 of (outer, n, inner) numbers of `parts` Ts.
template <class T, int W> columns<T, W> columns_at(std::int64_t first, std::int64_t n, std::int64_t inner, std::int64_t parts) {
    columns<T, W> out{{}, inner * parts, inner > 1};
    for (int l = 0; l < W; ++l) {
        std::int64_t const column = first + l;
        out.offset[l] = (column / inner * n * inner + column % inner) * parts;
        if (l > 0 && out.offset[l] != out.offset[l - 1] + parts) out.are_neighbours = false;
    }
    return out;
}

// n units of complex columns, conjugated where sign is -1. (Vectors of lanes stand in the order of interleaving, see lanes.hpp.)
template <class T, int W> void read_complex(T const* from, columns<T, W> const& c, std::int64_t n, T* to, T sign) {
    using order = interleaving<T, W>;
    if (c.are_neighbours) {
        for (std::int64_t k = 0; k < n; ++k) {
            unit<T, W> a;
            load_interleaved(a, from + c.offset[0] + k * c.stride, sign);
            store_unit(to + k * 2 * W, a);
        }
    } else if (c.stride == 2 && n >= W) { // columns are rows of memory
        for (std::int64_t b = 0; b < n; b += W) {
            std::int64_t const first = b + W > n ? n - W : b;
            vec<T, W> re[W], im[W];
            unrolled<W>([&](auto l) TRACEXPR_INLINE_LAMBDA {
                unit<T, W> a;
                load_interleaved(a, from + c.offset[order::order(l)] + 2 * first, sign);
                re[l] = a.re, im[l] = a.im;
            });
            transpose<T, W>(re), transpose<T, W>(im);
            unrolled<W>([&](auto l) TRACEXPR_INLINE_LAMBDA {
                store_unit(to + (first + order::order(l)) * 2 * W, unit<T, W>{re[l], im[l]});
            });
        }
    } else {
        for (std::int64_t k = 0; k < n; ++k)
            for (int l = 0; l < W; ++l) {
                T const* const number = from + c.offset[order::order(l)] + k * c.stride;
                to[k * 2 * W + l] = number[0], to[k * 2 * W + W + l] = number[1] * sign;
            }
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
    } else if (c.stride == 2 && n >= W) {
        for (std::int64_t b = 0; b < n; b += W) {
            std::int64_t const first = b + W > n ? n - W : b;
            vec<T, W> re[W], im[W];
            unrolled<W>([&](auto l) TRACEXPR_INLINE_LAMBDA {
                T const* const row = from + (first + order::order(l)) * 2 * W;
                load_vector(re[l], row), load_vector(im[l], row + W);
            });
            transpose<T, W>(re), transpose<T, W>(im);
            unrolled<W>([&](auto l) TRACEXPR_INLINE_LAMBDA {
                store_interleaved(to + c.offset[order::order(l)] + 2 * first, unit<T, W>{re[l], im[l]}, sign);
            });
        }
    } else {
        for (std::int64_t k = 0; k < n; ++k)
            for (int l = 0; l < W; ++l) {
                T* const number = to + c.offset[order::order(l)] + k * c.stride;
                number[0] = from[k * 2 * W + l], number[1] = from[k * 2 * W + W + l] * sign;
            }
    }
}

// Real columns of 2 n numbers: number 2 k becomes the real part of unit k, 2 k + 1 the imaginary one.
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
// The inverse; imaginary parts are multiplied by sign.
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
