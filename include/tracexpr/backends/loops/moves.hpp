// This file copies elements between strided memory and dense blocks, by the size of the elements alone.
#pragma once

#include <tracexpr/backends/loops/transpose.hpp>
#include <tracexpr/backends/vectors/gather.hpp>

#include <algorithm>
#include <cstring>

namespace tx::inline TRACEXPR_TARGET::simd::moves {

// block_strides holds the distances of rows and of columns in memory, in elements.
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

// Calls f with a word of that many bytes.
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
// Fills each row with one element. Short rows are stored a vector at a time; the next row overwrites what is too much.
template <class T> void spread_elements(T const* from, std::int64_t step, T* out, std::int64_t rows, std::int64_t columns) {
    constexpr int W = 16 / static_cast<int>(sizeof(T));
    std::int64_t row = 0;
    if constexpr (sizeof(T) <= 4)
        for (; columns <= W && (rows - row) * columns >= W; ++row)
            store<W>(out + row * columns, lanes<T, W>{} + from[row * step]);
    for (; row < rows; ++row) fill_elements(out + row * columns, from[row * step], columns);
}
// Repeats a row, doubling the number of copies each time.
template <class T> void repeat_elements(T const* from, T* out, std::int64_t rows, std::int64_t columns) {
    std::int64_t const all = rows * columns;
    std::memcpy(static_cast<void*>(out), from, static_cast<std::size_t>(columns) * sizeof(T));
    for (std::int64_t done = columns; done < all; done *= 2)
        std::memcpy(static_cast<void*>(out + done), out, static_cast<std::size_t>(std::min(done, all - done)) * sizeof(T));
}
// Copies short rows of a known length, so that no function is called for each.
template <int Columns, class T> void copy_rows(T const* from, std::int64_t step, T* out, std::int64_t rows) {
    for (std::int64_t r = 0; r < rows; ++r, from += step, out += Columns)
        std::memcpy(static_cast<void*>(out), from, Columns * sizeof(T));
}
template <class T> void copy_rows(T const* from, std::int64_t step, T* out, std::int64_t rows, std::int64_t columns) {
    switch (columns) {
    case 1: return copy_rows<1>(from, step, out, rows);
    case 2: return copy_rows<2>(from, step, out, rows);
    case 3: return copy_rows<3>(from, step, out, rows);
    case 4: return copy_rows<4>(from, step, out, rows);
    default:
        for (std::int64_t r = 0; r < rows; ++r, from += step, out += columns)
            std::memcpy(static_cast<void*>(out), from, static_cast<std::size_t>(columns) * sizeof(T));
    }
}
// True if elements at this distance are read as whole vectors and shuffled.
constexpr bool are_shuffled(std::int64_t stride) { return stride == 2 || stride == 3 || stride == 4 || stride == -1; }
template <class T> TRACEXPR_INLINE void gather_row(T const* from, std::int64_t stride, T* out, std::int64_t n) {
    std::int64_t i = 0;
    if constexpr (sizeof(T) == 4 || sizeof(T) == 8) {
        constexpr int W = native_lanes<T, simd::default_arch>;
        if (are_shuffled(stride))
            for (; i + W <= n; i += W)
                store<W>(out + i, load_apart<0, T, W, static_cast<int>(sizeof(T))>(from + i * stride, stride));
    }
    for (; i < n; ++i) out[i] = from[i * stride];
}

// Takes each third lane of three consecutive vectors, from lane R on: first from two of them, then from that result and the
// third.
template <int R, int W> struct front_thirds {
    static constexpr int at(int i) { return 3 * i + R < 2 * W ? 3 * i + R : 0; }
};
template <int R, int W> struct back_thirds {
    static constexpr int at(int i) { return 3 * i + R < 2 * W ? i : 3 * i + R - W; }
};
// out[r * out_stride + i] = from[Step * i + r] for all r, as far as whole vectors go: each of them is read once. Returns the
// number of the i that are done.
template <int Step, class T> std::int64_t split_rows(T const* from, T* out, std::int64_t out_stride, std::int64_t n) {
    constexpr int W = native_lanes<T, simd::default_arch>;
    using simd::detail::even_lanes, simd::detail::odd_lanes;
    std::int64_t i = 0;
    for (; i + W <= n; i += W, from += Step * W) {
        auto const at = [from](int k) TRACEXPR_INLINE_LAMBDA { return load<W>(from + k * W); };
        auto const put = [&](int r, lanes<T, W> const& v) TRACEXPR_INLINE_LAMBDA { store<W>(out + r * out_stride + i, v); };
        if constexpr (Step == 2) {
            auto const a = at(0), b = at(1);
            put(0, shuffle<even_lanes, W>(a, b)), put(1, shuffle<odd_lanes, W>(a, b));
        } else if constexpr (Step == 3) {
            auto const a = at(0), b = at(1), c = at(2);
            put(0, shuffle<back_thirds<0, W>, W>(shuffle<front_thirds<0, W>, W>(a, b), c));
            put(1, shuffle<back_thirds<1, W>, W>(shuffle<front_thirds<1, W>, W>(a, b), c));
            put(2, shuffle<back_thirds<2, W>, W>(shuffle<front_thirds<2, W>, W>(a, b), c));
        } else {
            static_assert(Step == 4);
            auto const a = at(0), b = at(1), c = at(2), d = at(3);
            auto const even = shuffle<even_lanes, W>(a, b), odd = shuffle<odd_lanes, W>(a, b);
            auto const next_even = shuffle<even_lanes, W>(c, d), next_odd = shuffle<odd_lanes, W>(c, d);
            put(0, shuffle<even_lanes, W>(even, next_even)), put(1, shuffle<even_lanes, W>(odd, next_odd));
            put(2, shuffle<odd_lanes, W>(even, next_even)), put(3, shuffle<odd_lanes, W>(odd, next_odd));
        }
    }
    return i;
}
// Transposes n contiguous rows of `rows` elements.
template <class T> void split_short_rows(T const* from, std::int64_t rows, T* out, std::int64_t n) {
    std::int64_t i = 0;
    if constexpr (sizeof(T) == 4 || sizeof(T) == 8)
        i = rows == 2   ? split_rows<2>(from, out, n, n)
            : rows == 3 ? split_rows<3>(from, out, n, n)
                        : split_rows<4>(from, out, n, n);
    for (; i < n; ++i)
        for (std::int64_t r = 0; r < rows; ++r) out[r * n + i] = from[i * rows + r];
}

// Copies a row; a short one is copied without a function call.
template <class T> TRACEXPR_INLINE void copy_row(T const* from, std::int64_t stride, T* out, std::int64_t n) {
    if (stride != 1) gather_row(from, stride, out, n);
    else if (n < 64) std::copy_n(from, n, out);
    else std::memcpy(static_cast<void*>(out), from, static_cast<std::size_t>(n) * sizeof(T));
}
// out[i] = from[places[i] + i * step].
template <class T> void look_up_row(T const* from, std::int64_t step, std::int64_t const* places, T* out, std::int64_t n) {
    constexpr int w = simd::detail::gathers<T, 8> ? 8 : 1; // types that are not gathered do not use the function for eight places
    std::int64_t i = 0;
    if constexpr (w > 1)
        for (; i + w <= n; i += w)
            store<w>(out + i,
                     simd::detail::gather_eight(from + i * step, load<w>(places + i) + lane_numbers<std::int64_t, w>() * step));
    for (; i < n; ++i) out[i] = from[places[i] + i * step];
}

// Copies a block of strided memory into dense rows.
template <class T> void pack(T const* from, block_strides s, T* out, std::int64_t rows, std::int64_t columns) {
    if (s.column == 1 && (s.row == columns || rows == 1)) {
        std::memcpy(static_cast<void*>(out), from, static_cast<std::size_t>(rows * columns) * sizeof(T));
    } else if (s.column == 1 && s.row == 0 && columns > 0) {
        repeat_elements(from, out, rows, columns);
    } else if (s.column == 1) {
        copy_rows(from, s.row, out, rows, columns);
    } else if (s.column == 0) {
        spread_elements(from, s.row, out, rows, columns);
    } else if (s.row == 1 && rows == s.column && (rows == 2 || rows == 3 || rows == 4)) {
        split_short_rows(from, rows, out, columns);
    } else if (s.row == 1 && rows > 1 && !(sizeof(T) >= 4 && are_shuffled(s.column))) {
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

// Copies bytes past the caches, for memory that will not be read soon.
inline void stream_bytes(std::byte const* from, std::byte* out, std::int64_t n) {
    constexpr int W = simd::detail::register_bytes<simd::default_arch>();
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

// pack and unpack for elements of that many bytes.
template <class Unused = void> void pack_block(std::int64_t bytes, std::byte const* from, block_strides s, std::byte* out,
                                               std::int64_t rows, std::int64_t columns) {
    with_word(static_cast<std::size_t>(bytes), [&]<class Word>(Word) {
        pack(reinterpret_cast<Word const*>(from), s, reinterpret_cast<Word*>(out), rows, columns);
    });
}
template <class Unused = void> void unpack_block(std::int64_t bytes, std::byte const* from, std::byte* out, block_strides s,
                                                 std::int64_t rows, std::int64_t columns) {
    with_word(static_cast<std::size_t>(bytes), [&]<class Word>(Word) {
        unpack(reinterpret_cast<Word const*>(from), reinterpret_cast<Word*>(out), s, rows, columns);
    });
}
TRACEXPR_KERNEL_INSTANCE(void pack_block<void>(std::int64_t, std::byte const*, block_strides, std::byte*, std::int64_t,
                                               std::int64_t))
TRACEXPR_KERNEL_INSTANCE(void unpack_block<void>(std::int64_t, std::byte const*, std::byte*, block_strides, std::int64_t,
                                                 std::int64_t))

} // namespace tx::inline TRACEXPR_TARGET::simd::moves
