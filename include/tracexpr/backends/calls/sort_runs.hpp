// This file sorts runs of unsigned integers. Long runs are partitioned around pivots, as quicksort does, with vectors; the short
// ones that this leaves are sorted by a network, as many runs at a time as a vector has lanes.
#pragma once

#include <tracexpr/backends/calls/gather.hpp>
#include <tracexpr/backends/calls/sort_lanes.hpp>
#include <tracexpr/backends/loops/transpose.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

namespace tx::inline TRACEXPR_TARGET::simd::detail {

// Partitions keys: those below the pivot (or up to it) go to the front of `keys`, and the others to `rest`. Returns the number of
// the former.
template <bool UpToPivot, class Arch, class Key> std::int64_t part(Key* keys, std::int64_t n, Key pivot, Key* rest) {
    std::int64_t first = 0, i = 0;
#if defined(__AVX512F__)
    if constexpr (std::is_base_of_v<xsimd::avx512f, Arch>) {
        constexpr int w = native_lanes<Key, Arch>;
        for (; i + w <= n; i += w) {
            __m512i const v = _mm512_loadu_si512(keys + i);
            if constexpr (sizeof(Key) == 4) {
                __m512i const bound = _mm512_set1_epi32(static_cast<int>(pivot));
                __mmask16 const mine = UpToPivot ? _mm512_cmple_epu32_mask(v, bound) : _mm512_cmplt_epu32_mask(v, bound);
                _mm512_storeu_si512(keys + first, _mm512_maskz_compress_epi32(mine, v));
                _mm512_storeu_si512(rest + (i - first), _mm512_maskz_compress_epi32(static_cast<__mmask16>(~mine), v));
                first += __builtin_popcount(mine);
            } else {
                __m512i const bound = _mm512_set1_epi64(static_cast<long long>(pivot));
                __mmask8 const mine = UpToPivot ? _mm512_cmple_epu64_mask(v, bound) : _mm512_cmplt_epu64_mask(v, bound);
                _mm512_storeu_si512(keys + first, _mm512_maskz_compress_epi64(mine, v));
                _mm512_storeu_si512(rest + (i - first), _mm512_maskz_compress_epi64(static_cast<__mmask8>(~mine), v));
                first += __builtin_popcount(mine);
            }
        }
    }
#endif
    for (; i < n; ++i) {
        Key const key = keys[i];
        rest[i - first] = keys[first] = key;
        first += UpToPivot ? key <= pivot : key < pivot;
    }
    return first;
}

// Says where sorted keys go: put(with, place, keys, n) takes those of the places from `place` on.
template <class Key> struct key_target {
    void* with;
    void (*put)(void* with, std::int64_t place, Key const* keys, std::int64_t n);
};

template <class Key, class Arch> class run_sorter {
public:
    static constexpr int width = native_lanes<Key, Arch>;
    static constexpr std::int64_t longest_short = 128;
    // This many keys behind all runs, and behind the memory for `spare`, may be read, but are not used.
    static constexpr std::int64_t slack = longest_short;

    explicit run_sorter(key_target<Key> target) : target_{target} {}

    // Adds a run. When finish() has returned, the least `wanted` of its keys have been put, in order, to the places from `place`
    // on. Until then the keys are moved within keys[0 .. n) and spare[0 .. n).
    void add(Key* keys, std::int64_t n, Key* spare, std::int64_t place, std::int64_t wanted) {
        divide({keys, n, place, wanted}, spare, 2 * static_cast<int>(std::bit_width(static_cast<std::uint64_t>(n))));
    }
    void finish() {
        if (count_ > 0) sort_short();
        count_ = 0;
    }

private:
    struct run {
        Key* keys;
        std::int64_t n, place, wanted;

        void drop(std::int64_t first) { n -= first, place += first, wanted -= first; }
    };

    void divide(run r, Key* spare, int depth) {
        for (; r.n > longest_short && r.wanted > 0; --depth) {
            if (depth == 0) {
                std::sort(r.keys, r.keys + r.n);
                return put(r, r.keys);
            }
            Key const pivot = middle(r.keys, r.n);
            std::int64_t first = part<false, Arch>(r.keys, r.n, pivot, spare);
            if (first == 0) { // the pivot is the least key
                std::swap(r.keys, spare);
                first = part<true, Arch>(r.keys, r.n, pivot, spare);
                put({r.keys, first, r.place, std::min(first, r.wanted)}, r.keys);
            } else {
                divide({r.keys, first, r.place, std::min(first, r.wanted)}, spare + (r.n - first), depth);
            }
            std::swap(r.keys, spare);
            spare += first;
            r.drop(first);
        }
        if (r.n == 0 || r.wanted <= 0) return;
        runs_[count_] = r;
        if (++count_ == width) finish();
    }
    void put(run const& r, Key const* sorted) const { target_.put(target_.with, r.place, sorted, r.wanted); }
    // Chooses a pivot: Tukey's ninther of nine places in each lane, and the median of three of those.
    static Key middle(Key const* keys, std::int64_t n) {
        using batch = xsimd::batch<Key, Arch>;
        std::int64_t const step = (n - width) / 8;
        auto const at = [&](int k) TRACEXPR_INLINE_LAMBDA { return batch::load_unaligned(keys + k * step); };
        auto const of_three = [&](int k) TRACEXPR_INLINE_LAMBDA { return median(at(k), at(k + 1), at(k + 2)); };
        alignas(64) Key all[width];
        median(of_three(0), of_three(3), of_three(6)).store_unaligned(all);
        return median(all[0], all[width / 2], all[width - 1]);
    }
    template <class V> static TRACEXPR_INLINE V median(V const& a, V const& b, V const& c) {
        using std::max, std::min, xsimd::max, xsimd::min;
        return max(min(a, b), min(max(a, b), c));
    }
    // Sorts the queued runs in lanes. Those that are shorter than the longest are filled up with the greatest key.
    void sort_short() {
        std::int64_t n = 0;
        Key const* from[width];
        Key* to[width];
        for (int lane = 0; lane < width; ++lane) {
            run const& r = runs_[lane < count_ ? lane : 0];
            lengths_[lane] = static_cast<Key>(r.n);
            n = std::max(n, r.n);
            from[lane] = r.keys, to[lane] = rows_ + lane * longest_short;
        }
        to_lanes<width>(0, n, from, lanes_);
        using vector = lanes<Key, width>;
        vector const lengths = load<width>(lengths_), greatest = vector{} + std::numeric_limits<Key>::max();
        for (std::int64_t i = 0; i < n; ++i) {
            vector const keys = load<width>(lanes_ + i * width), number = vector{} + static_cast<Key>(i);
            store<width>(lanes_ + i * width, number < lengths ? keys : greatest);
        }
        lane_sorter<Key, Arch>::sort(n, lanes_);
        from_lanes<width>(0, n, lanes_, to);
        for (int lane = 0; lane < count_; ++lane) put(runs_[lane], to[lane]);
    }

    key_target<Key> target_;
    int count_ = 0;
    run runs_[width];
    alignas(64) Key lengths_[width];
    alignas(64) Key lanes_[longest_short * width];
    alignas(64) Key rows_[longest_short * width];
};

} // namespace tx::inline TRACEXPR_TARGET::simd::detail
