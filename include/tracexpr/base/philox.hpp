// This file has the random number generator Philox 4x32-10 (Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1,
// 2, 3", SC 2011). A key of 64 bits and a counter of 128 bits give 128 random bits, so that any of a key's numbers can be
// computed independently. Here the counter is the number of the block and, in its last word, the number of a stream; a key has
// 2^32 streams.
#pragma once

#include <tracexpr/base/config.hpp>

#include <array>
#include <cstdint>
#include <utility>

namespace tx::philox {

using block = std::array<std::uint32_t, 4>;

inline constexpr std::uint64_t multipliers[]{0xd2511f53, 0xcd9e8d57};
inline constexpr std::uint32_t steps[]{0x9e3779b9, 0xbb67ae85}; // They are added to the key's words in each round.
inline constexpr int rounds = 10;

constexpr block encrypted(block c, std::uint64_t key) {
    std::uint32_t k0 = static_cast<std::uint32_t>(key), k1 = static_cast<std::uint32_t>(key >> 32);
    for (int r = 0; r < rounds; ++r) {
        std::uint64_t const a = multipliers[0] * c[0], b = multipliers[1] * c[2];
        c = {static_cast<std::uint32_t>(b >> 32) ^ c[1] ^ k0, static_cast<std::uint32_t>(b),
             static_cast<std::uint32_t>(a >> 32) ^ c[3] ^ k1, static_cast<std::uint32_t>(a)};
        k0 += steps[0], k1 += steps[1];
    }
    return c;
}
constexpr block block_of(std::uint64_t key, std::uint32_t stream, std::uint64_t number) {
    return encrypted({static_cast<std::uint32_t>(number), static_cast<std::uint32_t>(number >> 32), 0, stream}, key);
}

// Gives random number i, where each number has one or two words, the low one first.
constexpr std::uint64_t element(std::uint64_t key, std::uint32_t stream, std::uint64_t i, std::uint64_t words) {
    std::uint64_t const each = 4 / words;
    block const b = block_of(key, stream, i / each);
    std::uint64_t const at = i % each;
    return words == 1 ? b[at] : b[2 * at] | std::uint64_t{b[2 * at + 1]} << 32;
}

// Writes the places 0 ... n - 1 in random order, where each order is equally likely (Fisher and Yates; Knuth's TAOCP 3.4.2 P,
// inside out).
constexpr void permute(std::uint64_t key, std::uint32_t stream, std::int64_t n, std::int64_t* out) {
    block four{};
    std::uint64_t drawn = 0;
    auto const next = [&] {
        if (drawn % 2 == 0) four = block_of(key, stream, drawn / 2);
        std::size_t const at = drawn++ % 2 * 2;
        return four[at] | std::uint64_t{four[at + 1]} << 32;
    };
    std::uint64_t mask = 0; // the least 2^k - 1 that is at least i
    for (std::int64_t i = 0; i < n; ++i) {
        std::uint64_t const last = static_cast<std::uint64_t>(i);
        while (mask < last) mask = mask << 1 | 1;
        std::uint64_t j = last ? next() & mask : 0;
        while (j > last) j = next() & mask;
        out[i] = out[j];
        out[j] = i;
    }
}

} // namespace tx::philox
