// Moving elements between memory and tiles, where they lie one after the other, by their size alone.
#pragma once

#include <tracexpr/backends/loops/transpose.hpp>
#include <tracexpr/backends/vectors/values.hpp>

#include <algorithm>
#include <cstring>

namespace tx::inline TRACEXPR_TARGET::simd::tiles::detail {

// Elements of a block in memory: how far apart rows and columns are, in elements.
struct block_strides {
    std::int64_t row = 0, column = 0;
};

template <std::size_t Bytes> struct plain_bytes {
    std::byte of[Bytes];
};
template <std::size_t Bytes> using word_of_size =
    std::conditional_t<Bytes == 1, std::uint8_t,
                       std::conditional_t<Bytes == 2, std::uint16_t,
                                          std::conditional_t<Bytes == 4, std::uint32_t,
                                                             std::conditional_t<Bytes == 8, std::uint64_t, plain_bytes<Bytes>>>>>;

// f(an element of that size).
template <class F> decltype(auto) with_word(std::size_t bytes, F f) {
    switch (bytes) {
    case 1: return f(word_of_size<1>{});
    case 2: return f(word_of_size<2>{});
    case 4: return f(word_of_size<4>{});
    case 8: return f(word_of_size<8>{});
    case 16: return f(word_of_size<16>{});
    default: return f(word_of_size<32>{});
    }
}

template <class T> void fill_elements(T* out, T value, std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) out[i] = value;
}
template <class T> TRACEXPR_INLINE void gather_row(T const* from, std::int64_t stride, T* out, std::int64_t n) {
    std::int64_t i = 0;
    if constexpr (sizeof(T) == 4 || sizeof(T) == 8) {
        constexpr int W = native_lanes<T, xsimd::default_arch>;
        if (stride == 2 || stride == 3 || stride == -1)
            for (; i + W <= n; i += W)
                store<W>(out + i, load_apart<0, T, W, static_cast<int>(sizeof(T))>(from + i * stride, stride));
    }
    for (; i < n; ++i) out[i] = from[i * stride];
}

// A block of memory into a tile.
template <class T> void pack(T const* from, block_strides s, T* out, std::int64_t rows, std::int64_t columns) {
    if (s.column == 1) {
        for (std::int64_t r = 0; r < rows; ++r, from += s.row, out += columns)
            if (columns < 64) std::copy_n(from, columns, out);
            else std::memcpy(static_cast<void*>(out), from, static_cast<std::size_t>(columns) * sizeof(T));
    } else if (s.column == 0) {
        for (std::int64_t r = 0; r < rows; ++r) fill_elements(out + r * columns, from[r * s.row], columns);
    } else if (s.row == 1 && rows > 1) {
        pack_transposed<T>(rows, columns, from, s.column, out, columns);
    } else {
        for (std::int64_t r = 0; r < rows; ++r) gather_row(from + r * s.row, s.column, out + r * columns, columns);
    }
}
template <class T> void unpack(T const* from, T* out, block_strides s, std::int64_t rows, std::int64_t columns) {
    for (std::int64_t r = 0; r < rows; ++r, from += columns, out += s.row) {
        if (s.column == 1) std::memcpy(static_cast<void*>(out), from, static_cast<std::size_t>(columns) * sizeof(T));
        else
            for (std::int64_t i = 0; i < columns; ++i) out[i * s.column] = from[i];
    }
}

// To where what follows won't be read soon: past the caches.
inline void stream_bytes(std::byte const* from, std::byte* out, std::int64_t n) {
    constexpr int W = simd::detail::register_bytes<xsimd::default_arch>();
    std::int64_t i = 0;
    if constexpr (simd::streams<std::int64_t, W / 8>) {
        std::int64_t const first = static_cast<std::int64_t>(-reinterpret_cast<std::uintptr_t>(out) & (W - 1));
        i = std::min(first, n);
        std::memcpy(out, from, static_cast<std::size_t>(i));
        for (; i + W <= n; i += W)
            stream_value<std::int64_t, W / 8>(reinterpret_cast<std::int64_t*>(out + i),
                                              load<W / 8>(reinterpret_cast<std::int64_t const*>(from + i)));
    }
    std::memcpy(out + i, from + i, static_cast<std::size_t>(n - i));
}

} // namespace tx::inline TRACEXPR_TARGET::simd::tiles::detail
