// This file draws random numbers, those of base/philox.hpp, with a thread for each block of a key's stream.
#pragma once

#include <tracexpr/base/philox.hpp>
#include <tracexpr/base/table_view.hpp>
#include <tracexpr/graph/op.hpp>
#include <tracexpr/thrust/call_moves.hpp>

#include <vector>

namespace tx::detail::inline TRACEXPR_DEVICE::calls {

// The block that philox::block_of gives, for device code, where std::array can't be used.
struct philox_block {
    std::uint32_t word[4];

    TRACEXPR_HD constexpr philox_block(std::uint64_t key, std::uint32_t stream, std::uint64_t number)
        : word{static_cast<std::uint32_t>(number), static_cast<std::uint32_t>(number >> 32), 0, stream} {
        constexpr std::uint64_t by_first = philox::multipliers[0], by_third = philox::multipliers[1];
        constexpr std::uint32_t low_step = philox::steps[0], high_step = philox::steps[1];
        std::uint32_t low = static_cast<std::uint32_t>(key), high = static_cast<std::uint32_t>(key >> 32);
        for (int r = 0; r < philox::rounds; ++r, low += low_step, high += high_step) {
            std::uint64_t const a = by_first * word[0], b = by_third * word[2];
            word[0] = static_cast<std::uint32_t>(b >> 32) ^ word[1] ^ low, word[1] = static_cast<std::uint32_t>(b);
            word[2] = static_cast<std::uint32_t>(a >> 32) ^ word[3] ^ high, word[3] = static_cast<std::uint32_t>(a);
        }
    }
};

// Draws `words` words of 32 bits for each key.
struct draw_block {
    std::uint64_t const* keys;
    std::uint32_t stream;
    std::int64_t words, blocks; // for each key
    bool is_aligned;            // whether whole blocks can be stored at once
    std::uint32_t* out;
    TRACEXPR_HD void operator()(std::int64_t i) const {
        std::int64_t const number = divide(i, blocks), first = 4 * number;
        philox_block const four(keys[i], stream, static_cast<std::uint64_t>(number));
        std::uint32_t* const to = out + i * words + first;
        if (is_aligned && words - first >= 4) {
            alignas(16) philox_block const whole = four;
            move_word<16>(reinterpret_cast<std::byte const*>(&whole), reinterpret_cast<std::byte*>(to));
        } else {
            for (int k = 0; k < 4 && first + k < words; ++k) to[k] = four.word[k];
        }
    }
};

// Does what philox::permute does: numbers are drawn one after the other.
struct permute_places {
    std::uint64_t const* keys;
    std::uint32_t stream;
    std::int64_t n;
    std::int64_t* out;
    TRACEXPR_HD void operator()(std::int64_t key) const {
        std::int64_t* const to = out + key * n;
        std::uint64_t drawn = 0, mask = 0;
        philox_block four(keys[key], stream, 0);
        for (std::int64_t i = 0; i < n; ++i) {
            auto const last = static_cast<std::uint64_t>(i);
            while (mask < last) mask = mask << 1 | 1;
            std::uint64_t j = 0;
            if (last > 0) do {
                    if (drawn > 0 && drawn % 2 == 0) four = philox_block(keys[key], stream, drawn / 2);
                    std::uint64_t const at = drawn++ % 2 * 2;
                    j = (four.word[at] | std::uint64_t{four.word[at + 1]} << 32) & mask;
                } while (j > last);
            to[i] = to[j];
            to[j] = i;
        }
    }
};

// Is the host faster than a device, whose single threads are slow?
inline bool permutes_on_host(std::int64_t keys, std::int64_t n) { return on_gpu && n > 64 && keys < 256; }

inline void permute_on_host(device_queue& queue, std::uint64_t const* keys, std::int64_t count, std::uint32_t stream,
                            std::int64_t n, std::int64_t* out) {
    std::vector<std::uint64_t> known(static_cast<std::size_t>(count));
    std::vector<std::int64_t> places(static_cast<std::size_t>(count * n));
    queue.to_host(known.data(), keys, count * static_cast<std::int64_t>(sizeof(std::uint64_t)));
    for (std::int64_t k = 0; k < count; ++k)
        philox::permute(known[static_cast<std::size_t>(k)], stream, n, places.data() + k * n);
    queue.to_device(out, places.data(), count * n * static_cast<std::int64_t>(sizeof(std::int64_t)));
}

// Draws the numbers for all keys, one key after the other. The attributes are the stream, and the number of words of an element.
template <op Code> void draw(device_queue& queue, simd::call_operand const& keys, std::byte* out, dims const& extents,
                             table_view<std::int64_t> attributes) {
    std::int64_t const count = keys.extents.size();
    if (count == 0 || extents.size() == 0) return;
    std::int64_t const each = extents.size() / count;
    auto const* const key = reinterpret_cast<std::uint64_t const*>(keys.data);
    auto const stream = static_cast<std::uint32_t>(attributes[0]);
    if constexpr (Code == op::random_permutation) {
        auto* const to = reinterpret_cast<std::int64_t*>(out);
        if (permutes_on_host(count, each)) permute_on_host(queue, key, count, stream, each, to);
        else for_each_index(queue, count, permute_places{key, stream, each, to});
    } else {
        std::int64_t const words = each * attributes[1], blocks = (words + 3) / 4;
        for_each_index(
            queue, count * blocks,
            draw_block{key, stream, words, blocks, words % 4 == 0 && word_at(out) == 16, reinterpret_cast<std::uint32_t*>(out)});
    }
}

} // namespace tx::detail::inline TRACEXPR_DEVICE::calls
