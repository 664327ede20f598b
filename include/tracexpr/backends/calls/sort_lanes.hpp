// This file sorts arrays that are stored side by side, one in each lane of vectors, by a sorting network, which is the same for
// all of them.
#pragma once

#include <tracexpr/backends/vectors/lanes.hpp>

#include <array>
#include <cstdint>
#include <limits>
#include <utility>

namespace tx::inline TRACEXPR_TARGET::simd::detail {

// Exchanges two elements if the one at the first place is the greater.
struct lane_exchange {
    int low, high;
};
template <std::size_t Count> using lane_exchanges = std::array<lane_exchange, Count>;

// Batcher's odd-even merge sort of N elements, a power of two (Knuth, The Art of Computer Programming, vol. 3, 5.3.4).
template <int N> constexpr int put_odd_even_sort(lane_exchange* to) {
    int count = 0;
    for (int half = 1; half < N; half *= 2)
        for (int distance = half; distance > 0; distance /= 2)
            for (int first = distance % half; first + distance < N; first += 2 * distance)
                for (int i = first; i < first + distance && i + distance < N; ++i)
                    if (i / (2 * half) == (i + distance) / (2 * half)) {
                        if (to) to[count] = {i, i + distance};
                        ++count;
                    }
    return count;
}
template <int N> inline constexpr auto odd_even_sort = [] {
    lane_exchanges<put_odd_even_sort<N>(nullptr)> out{};
    put_odd_even_sort<N>(out.data());
    return out;
}();
// Sorts a bitonic sequence: one that ascends and then descends, or a rotation of such a one.
template <int N> inline constexpr auto bitonic_merge = [] {
    lane_exchanges<N / 2 * std::bit_width(N - 1u)> out{};
    std::size_t count = 0;
    for (int distance = N / 2; distance > 0; distance /= 2)
        for (int i = 0; i < N; ++i)
            if (!(i & distance)) out[count++] = {i, i + distance};
    return out;
}();

template <class Key, class Arch> class lane_sorter {
public:
    static constexpr int width = native_lanes<Key, Arch>, block = register_count<Arch> / 2;

    // Returns the number of keys that each array must have room for.
    static constexpr std::int64_t padded(std::int64_t n) {
        std::int64_t size = block;
        while (size < n) size *= 2;
        return size;
    }
    // Sorts each column of keys[n][width] in ascending order.
    static void sort(std::int64_t n, Key* keys) {
        std::int64_t const size = padded(n);
        for (std::int64_t i = n; i < size; ++i) batch(std::numeric_limits<Key>::max()).store_aligned(keys + i * width);
        for (std::int64_t at = 0; at < size; at += block) exchange_block(odd_even_sort<block>, keys + at * width);
        for (std::int64_t half = block; half < size; half *= 2)
            for (std::int64_t at = 0; at < size; at += 2 * half) merge(half, keys + at * width);
    }

private:
    using batch = xsimd::batch<Key, Arch>;
    static TRACEXPR_INLINE void exchange(batch& a, batch& b) {
        batch const least = xsimd::min(a, b);
        b = xsimd::max(a, b), a = least;
    }
    static TRACEXPR_INLINE batch at(Key const* keys, std::int64_t i) { return batch::load_aligned(keys + i * width); }
    static TRACEXPR_INLINE void put(Key* keys, std::int64_t i, batch const& v) { v.store_aligned(keys + i * width); }

    // Merges two ascending halves; the second one is read backwards, which makes them bitonic. It does two steps of the network
    // at a time, as long as there are two.
    static void merge(std::int64_t half, Key* keys) {
        std::int64_t const last = 2 * half - 1, quarter = half / 2;
        std::int64_t distance = half;
        if (quarter >= block) {
            for (std::int64_t i = 0; i < quarter; ++i)
                exchange_four(keys, i, i + quarter, last - i - quarter, last - i, [](batch(&v)[4]) TRACEXPR_INLINE_LAMBDA {
                    exchange(v[0], v[3]), exchange(v[1], v[2]), exchange(v[0], v[1]), exchange(v[2], v[3]);
                });
            distance = quarter;
        } else {
            for (std::int64_t i = 0; i < half; ++i) exchange_two(keys, i, last - i);
        }
        for (distance /= 2; distance >= 2 * block; distance /= 4)
            for (std::int64_t from = 0; from <= last; from += 2 * distance)
                for (std::int64_t i = from; i < from + distance / 2; ++i)
                    exchange_four(keys, i, i + distance / 2, i + distance, i + distance + distance / 2,
                                  [](batch(&v)[4]) TRACEXPR_INLINE_LAMBDA {
                                      exchange(v[0], v[2]), exchange(v[1], v[3]), exchange(v[0], v[1]), exchange(v[2], v[3]);
                                  });
        if (distance == block)
            for (std::int64_t from = 0; from <= last; from += 2 * distance)
                for (std::int64_t i = from; i < from + distance; ++i) exchange_two(keys, i, i + distance);
        for (std::int64_t from = 0; from <= last; from += block) exchange_block(bitonic_merge<block>, keys + from * width);
    }
    static TRACEXPR_INLINE void exchange_two(Key* keys, std::int64_t i, std::int64_t j) {
        batch a = at(keys, i), b = at(keys, j);
        exchange(a, b);
        put(keys, i, a), put(keys, j, b);
    }
    template <class F>
    static TRACEXPR_INLINE void exchange_four(Key* keys, std::int64_t i, std::int64_t j, std::int64_t k, std::int64_t l, F f) {
        batch v[4]{at(keys, i), at(keys, j), at(keys, k), at(keys, l)};
        f(v);
        put(keys, i, v[0]), put(keys, j, v[1]), put(keys, k, v[2]), put(keys, l, v[3]);
    }
    // Does the exchanges of one block in registers.
    template <std::size_t Count> static TRACEXPR_INLINE void exchange_block(lane_exchanges<Count> const& all, Key* keys) {
        [&]<int... I, std::size_t... K>(std::integer_sequence<int, I...>, std::index_sequence<K...>) TRACEXPR_INLINE_LAMBDA {
            batch v[block]{at(keys, I)...};
            (exchange(v[all[K].low], v[all[K].high]), ...);
            (put(keys, I, v[I]), ...);
        }(std::make_integer_sequence<int, block>{}, std::make_index_sequence<Count>{});
    }
};

} // namespace tx::inline TRACEXPR_TARGET::simd::detail
