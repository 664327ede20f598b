// This file has the vectors that Fourier transforms compute with: complex numbers as a vector of real parts and one of imaginary
// parts, how they are read from interleaved arrays, and their transposes.
#pragma once

#include <tracexpr/backends/vectors/lanes.hpp>
#include <tracexpr/base/config.hpp>

#include <cstdint>
#include <cstring>
#include <utility>

namespace tx::detail::inline TRACEXPR_TARGET::fourier {

template <class T> inline constexpr int native_width = simd::moving_lanes<T, xsimd::default_arch>;
// The width for transforms that are too short for native vectors.
template <class T> inline constexpr int narrow_width = native_width<T> > 4 ? 4 : native_width<T>;

using simd::shuffle;
template <class T, int W> using vec = simd::lanes<T, W>;

// A unit is W complex numbers.
template <class T, int W> struct unit {
    vec<T, W> re, im;
};

// Calls f(0), f(1), ... with integral constants. (In a loop, g++ 12 would keep arrays of vectors in memory.)
template <int N, class F> TRACEXPR_INLINE void unrolled(F const& f) {
    [&]<int... K>(std::integer_sequence<int, K...>)
        TRACEXPR_INLINE_LAMBDA { (f(std::integral_constant<int, K>{}), ...); }(std::make_integer_sequence<int, N>{});
}

template <class V, class T> TRACEXPR_INLINE void load_vector(V& to, T const* from) { std::memcpy(&to, from, sizeof to); }
template <class V, class T> TRACEXPR_INLINE void store_vector(T* to, V const& from) { std::memcpy(to, &from, sizeof from); }

// These join two vectors to one of W lanes, and split it into halves.
template <int W, class V, class H> TRACEXPR_INLINE void join_halves(V& to, H const& low, H const& high) {
    if constexpr (W == 4) {
        to = __builtin_shufflevector(low, high, 0, 1, 2, 3);
    } else if constexpr (W == 8) {
        to = __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
    } else {
        static_assert(W == 16);
        to = __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    }
}
template <int W, class V, class H> TRACEXPR_INLINE void split_halves(V const& from, H& low, H& high) {
    if constexpr (W == 4) {
        low = __builtin_shufflevector(from, from, 0, 1), high = __builtin_shufflevector(from, from, 2, 3);
    } else if constexpr (W == 8) {
        low = __builtin_shufflevector(from, from, 0, 1, 2, 3), high = __builtin_shufflevector(from, from, 4, 5, 6, 7);
    } else {
        static_assert(W == 16);
        low = __builtin_shufflevector(from, from, 0, 1, 2, 3, 4, 5, 6, 7);
        high = __builtin_shufflevector(from, from, 8, 9, 10, 11, 12, 13, 14, 15);
    }
}

// Shuffles that stay within blocks of 16 bytes take one instruction. So lanes that are read from interleaved numbers are in
// another order: lane i holds number order(i).
template <class T, int W> struct interleaving {
    static constexpr int per_block = 16 / static_cast<int>(sizeof(T)), half = per_block / 2;
    static constexpr int order(int i) {
        if (W == 1) return 0;
        int const block = i / per_block, place = i % per_block;
        return block * half + place % half + (place >= half ? W / 2 : 0);
    }
    template <int Part> struct parts { // These select the real or the imaginary parts of interleaved numbers in two vectors.
        static constexpr int at(int i) {
            int const block = i / per_block, place = i % per_block;
            return block * per_block + 2 * (place % half) + Part + (place >= half ? W : 0);
        }
    };
    template <int Half> struct joined { // the inverse of `parts`
        static constexpr int at(int i) {
            int const block = i / per_block, place = i % per_block;
            return block * per_block + Half * half + place / 2 + (place % 2 != 0 ? W : 0);
        }
    };
    struct ordered {
        static constexpr int at(int i) { return order(i); }
    };
    struct unordered {
        static constexpr int at(int i) {
            for (int k = 0; k < W; ++k)
                if (order(k) == i) return k;
            return 0;
        }
    };
    struct reversed {
        static constexpr int at(int i) { return W - 1 - i; }
    };
    // by_elements holds the steps of a transpose: they exchange single elements, pairs of elements (of 4 bytes), and blocks.
    template <int Half> struct by_elements {
        static constexpr int at(int i) {
            int const block = i / per_block, place = i % per_block;
            return block * per_block + Half * half + place / 2 + (place % 2 != 0 ? W : 0);
        }
    };
    template <int Half> struct by_halves {
        static constexpr int at(int i) {
            int const block = i / per_block, place = i % per_block;
            return block * per_block + Half * half + place % half + (place >= half ? W : 0);
        }
    };
    template <int Half, int Blocks> struct by_blocks {
        static constexpr int at(int i) {
            int const block = i / per_block, place = i % per_block;
            bool const second = (block & Blocks) != 0;
            int const from = Half == 0 ? (second ? block - Blocks : block) : (second ? block : block + Blocks);
            return from * per_block + place + (second ? W : 0);
        }
    };
};

// Reads W interleaved complex numbers; their imaginary parts are multiplied by sign, which is 1 or -1.
template <class T, int W> TRACEXPR_INLINE void load_interleaved(unit<T, W>& to, T const* from, T sign) {
    if constexpr (W == 1) {
        to.re = from[0], to.im = from[1] * sign;
    } else {
        using p = interleaving<T, W>;
        vec<T, W> a, b;
        load_vector(a, from), load_vector(b, from + W);
        to.re = shuffle<typename p::template parts<0>, W>(a, b);
        to.im = shuffle<typename p::template parts<1>, W>(a, b) * sign;
    }
}
template <class T, int W> TRACEXPR_INLINE void store_interleaved(T* to, unit<T, W> const& from, T sign) {
    if constexpr (W == 1) {
        to[0] = from.re, to[1] = from.im * sign;
    } else {
        using p = interleaving<T, W>;
        vec<T, W> const im = from.im * sign;
        store_vector(to, shuffle<typename p::template joined<0>, W>(from.re, im));
        store_vector(to + W, shuffle<typename p::template joined<1>, W>(from.re, im));
    }
}
// These read and write units as buffers have them: W real parts, then W imaginary parts.
template <class T, int W> TRACEXPR_INLINE void load_unit(unit<T, W>& to, T const* from) {
    load_vector(to.re, from), load_vector(to.im, from + W);
}
template <class T, int W> TRACEXPR_INLINE void store_unit(T* to, unit<T, W> const& from) {
    store_vector(to, from.re), store_vector(to + W, from.im);
}

template <class T, int W, int Blocks> TRACEXPR_INLINE void transpose_blocks(vec<T, W>* v) {
    using p = interleaving<T, W>;
    if constexpr (Blocks * p::per_block < W) {
        constexpr int distance = Blocks * p::per_block;
        unrolled<W>([&](auto i) TRACEXPR_INLINE_LAMBDA {
            if constexpr ((decltype(i)::value & (Blocks * p::per_block)) == 0) {
                vec<T, W> const a = v[i], b = v[i + distance];
                v[i] = shuffle<typename p::template by_blocks<0, Blocks>, W>(a, b);
                v[i + distance] = shuffle<typename p::template by_blocks<1, Blocks>, W>(a, b);
            }
        });
        transpose_blocks<T, W, 2 * Blocks>(v);
    }
}
// Transposes W vectors: lane j of vector i becomes lane i of vector j.
template <class T, int W> TRACEXPR_INLINE void transpose(vec<T, W>* v) {
    using p = interleaving<T, W>;
    if constexpr (W == 1) return;
    else if constexpr (sizeof(T) == 8) {
        unrolled<W / 2>([&](auto pair) TRACEXPR_INLINE_LAMBDA {
            int const i = 2 * pair;
            vec<T, W> const a = v[i], b = v[i + 1];
            v[i] = shuffle<typename p::template by_elements<0>, W>(a, b);
            v[i + 1] = shuffle<typename p::template by_elements<1>, W>(a, b);
        });
        transpose_blocks<T, W, 1>(v);
    } else {
        using low = typename p::template by_elements<0>;
        using high = typename p::template by_elements<1>;
        using first = typename p::template by_halves<0>;
        using second = typename p::template by_halves<1>;
        unrolled<W / 4>([&](auto four) TRACEXPR_INLINE_LAMBDA {
            int const i = 4 * four;
            vec<T, W> const a = shuffle<low, W>(v[i], v[i + 1]), b = shuffle<high, W>(v[i], v[i + 1]);
            vec<T, W> const c = shuffle<low, W>(v[i + 2], v[i + 3]), d = shuffle<high, W>(v[i + 2], v[i + 3]);
            v[i] = shuffle<first, W>(a, c), v[i + 1] = shuffle<second, W>(a, c);
            v[i + 2] = shuffle<first, W>(b, d), v[i + 3] = shuffle<second, W>(b, d);
        });
        transpose_blocks<T, W, 1>(v);
    }
}

} // namespace tx::detail::inline TRACEXPR_TARGET::fourier
