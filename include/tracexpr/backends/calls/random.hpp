// This file makes random numbers, a vector of Philox blocks at a time. A number depends only on its key and its place.
#pragma once

#include <tracexpr/backends/threads/cut.hpp>
#include <tracexpr/backends/vectors/lanes.hpp>
#include <tracexpr/base/philox.hpp>
#include <tracexpr/graph/op.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace tx::inline TRACEXPR_TARGET::simd {

namespace detail {

// Multiplies the low halves of each lane.
template <class V> TRACEXPR_INLINE V product_of_low_halves(V const& a, V const& b) {
#if defined(__AVX512F__)
    if constexpr (sizeof(V) == 64)
        return __builtin_bit_cast(V, _mm512_mul_epu32(__builtin_bit_cast(__m512i, a), __builtin_bit_cast(__m512i, b)));
#endif
#if defined(__AVX2__)
    if constexpr (sizeof(V) == 32)
        return __builtin_bit_cast(V, _mm256_mul_epu32(__builtin_bit_cast(__m256i, a), __builtin_bit_cast(__m256i, b)));
#endif
#if defined(__SSE2__)
    if constexpr (sizeof(V) == 16)
        return __builtin_bit_cast(V, _mm_mul_epu32(__builtin_bit_cast(__m128i, a), __builtin_bit_cast(__m128i, b)));
#endif
    return (a & 0xffffffffu) * (b & 0xffffffffu);
}

// Interleaves the even lanes of two vectors, or the odd ones.
template <int W, int Odd> struct paired_lanes {
    static constexpr int at(int i) { return i / 2 * 2 + Odd + (i % 2 ? W : 0); }
};

// Computes W blocks of a key's stream at once; each word of a block is in the low half of a lane.
template <int W> struct philox_vectors {
    using vector = lanes<std::uint64_t, W>;
    vector keys[2 * philox::rounds];
    vector c2{}, c3{};

    philox_vectors(std::uint64_t key, std::uint32_t stream) {
        std::uint32_t k[]{static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(key >> 32)};
        for (int r = 0; r < 2 * philox::rounds; ++r) keys[r] = vector{} + k[r % 2], k[r % 2] += philox::steps[r % 2];
        c3 += stream;
    }
    // Lane 2 i holds the number of block `first` + i, and lane 2 i + 1 that of the block W / 2 later, so that blocks are stored
    // without crossing lanes.
    static vector numbers(std::uint64_t first) {
        std::uint64_t n[W];
        for (int i = 0; i < W; ++i) n[i] = first + static_cast<std::uint64_t>(i / 2 + (i % 2 ? W / 2 : 0));
        return load<W>(n);
    }
    // The upper halves of lanes hold arbitrary bits: the products ignore them.
    TRACEXPR_INLINE void put(vector const& number, std::uint32_t* out) const {
        vector a = number, b = number >> 32, c = c2, d = c3;
        vector const m0 = vector{} + philox::multipliers[0], m1 = vector{} + philox::multipliers[1];
        for (int r = 0; r < philox::rounds; ++r) {
            vector const p = product_of_low_halves(a, m0), q = product_of_low_halves(c, m1);
            a = (q >> 32) ^ b ^ keys[2 * r], b = q;
            c = (p >> 32) ^ d ^ keys[2 * r + 1], d = p;
        }
        vector const low = (a & 0xffffffffu) | (b << 32), high = (c & 0xffffffffu) | (d << 32);
        vector const pairs[]{shuffle<paired_lanes<W, 0>, W>(low, high), shuffle<paired_lanes<W, 1>, W>(low, high)};
        std::memcpy(out, pairs, sizeof pairs);
    }
};

// Writes `words` words of the stream, from word 4 `block` on.
template <class Arch>
void fill_random(std::uint64_t key, std::uint32_t stream, std::uint64_t block, std::int64_t words, std::uint32_t* out) {
    constexpr int w = native_lanes<std::uint64_t, Arch>;
    std::int64_t i = 0;
    if (words > 8) {
        philox_vectors<w> const all(key, stream);
        auto number = all.numbers(block);
        for (; i + 4 * w <= words; i += 4 * w, number += std::uint64_t{w}) all.put(number, out + i);
        if (i == words) return;
        std::uint32_t last[4 * w];
        all.put(number, last);
        std::copy_n(last, words - i, out + i);
        return;
    }
    for (; i < words; i += 4) {
        philox::block const four = philox::block_of(key, stream, block + static_cast<std::uint64_t>(i / 4));
        std::copy_n(four.data(), std::min<std::int64_t>(4, words - i), out + i);
    }
}
// Draws bits for one key; many of them are drawn by several threads.
template <class Arch> void draw_bits(std::uint64_t key, std::uint32_t stream, std::int64_t words, std::uint32_t* out) {
    constexpr std::int64_t piece = 1 << 16;
    if (threads_here <= 1 || words < 2 * piece) return fill_random<Arch>(key, stream, 0, words, out);
    thread_pool::shared().run(threads_here, (words + piece - 1) / piece, [&](std::int64_t k) {
        fill_random<Arch>(key, stream, static_cast<std::uint64_t>(k * piece / 4), std::min(piece, words - k * piece),
                          out + k * piece);
    });
}

} // namespace detail

// Draws the numbers of one key after the other. The attributes are the stream, and the number of 32-bit words of an element.
template <op Code, class Arch>
void draw(table_view<std::uint64_t> keys, std::byte* out, dims const& extents, table_view<std::int64_t> attributes) {
    if (keys.empty()) return;
    std::int64_t const each = extents.size() / static_cast<std::int64_t>(keys.size());
    std::uint32_t const stream = static_cast<std::uint32_t>(attributes[0]);
    for (std::uint64_t const key : keys) {
        if constexpr (Code == op::random_permutation) philox::permute(key, stream, each, reinterpret_cast<std::int64_t*>(out));
        else detail::draw_bits<Arch>(key, stream, each * attributes[1], reinterpret_cast<std::uint32_t*>(out));
        out += each * attributes[1] * 4;
    }
}

} // namespace tx::inline TRACEXPR_TARGET::simd
