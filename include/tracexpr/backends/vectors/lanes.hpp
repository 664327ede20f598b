// This file holds vectors of a fixed number of lanes, for kernels whose width follows the extents rather than the machine: an
// xsimd batch is as wide as its architecture, but a row of a 4x4 matrix is not. They are the compilers' vector types, so `+ - *`
// and multiplication by a scalar work as written, and `a * b + c` becomes an FMA where there is one. A lanes<T, 1> is a T. No
// function returns lanes that are wider than a register of its processor, or takes them except by reference: compilers would
// warn, wherever such a function is used and even if it is inlined, that such lanes are passed differently on a processor which
// has wider registers.
#pragma once

#include <tracexpr/backends/vectors/xsimd_compat.hpp>
#include <tracexpr/base/config.hpp>
#include <tracexpr/base/element.hpp>

#include <cstring>
#include <type_traits>
#include <utility>

namespace tx::inline TRACEXPR_TARGET::simd {

// `ctype` is the type of elements in kernels, which is that in tensors.
template <dtype Type> using ctype = tx::detail::stored<tx::ctype<Type>>;

namespace detail {
template <class T, int W> struct lanes_of {
    typedef T type __attribute__((vector_size(W * sizeof(T)))); // `using` takes no dependent vector_size in g++ 12
};
template <class T> struct lanes_of<T, 1> {
    using type = T;
};

template <class Arch> constexpr int register_bytes() {
    if constexpr (Arch::supported()) return static_cast<int>(sizeof(xsimd::batch<float, Arch>));
    else return 16;
}
} // namespace detail

template <class T, int W> using lanes = typename detail::lanes_of<T, W>::type;

// The number of lanes of T in one register, and the number of registers.
template <class T, class Arch> inline constexpr int native_lanes = detail::register_bytes<Arch>() / static_cast<int>(sizeof(T));
template <class Arch> inline constexpr int register_count =
    detail::register_bytes<Arch>() == 64 || std::is_base_of_v<xsimd::neon64, Arch> ? 32 : 16;

// Zen 4 runs an instruction on 64 bytes as two on 32 bytes each, so wide vectors don't pay for shuffles there. (g++ 12 takes it
// for a Zen 3 that has AVX-512; Zen 5 has AVX-VNNI, too.)
#if defined(__znver4__) || (defined(__znver3__) && defined(__AVX512F__) && !defined(__AVXVNNI__))
inline constexpr bool splits_wide_vectors = true;
#else
inline constexpr bool splits_wide_vectors = false;
#endif

// The number of lanes that pays if many values move between lanes.
template <class T, class Arch> inline constexpr int moving_lanes = splits_wide_vectors && detail::register_bytes<Arch>() > 32
                                                                       ? 32 / static_cast<int>(sizeof(T))
                                                                       : native_lanes<T, Arch>;

// T without its sign if it is an integer, so that arithmetic on the same bits wraps.
template <class T> using wrapping = typename std::conditional_t<std::is_integral_v<T> && !std::is_same_v<T, bool>,
                                                                std::make_unsigned<T>, std::type_identity<T>>::type;

template <int W, class T> TRACEXPR_INLINE lanes<T, W> load(T const* from) {
    lanes<T, W> value;
    std::memcpy(&value, from, sizeof value);
    return value;
}
template <int W, class T> TRACEXPR_INLINE void store(T* to, lanes<T, W> const& value) { std::memcpy(to, &value, sizeof value); }

// Keeps the value in a register: g++ 12 would otherwise load it again from memory wherever an instruction can, and processors
// load only two vectors a cycle.
template <class V> TRACEXPR_INLINE V in_register(V value) {
#if defined(__AVX512F__) && defined(__GNUC__)
    asm("" : "+v"(value));
#elif defined(__AVX__) && defined(__GNUC__)
    if constexpr (sizeof value <= 32) asm("" : "+x"(value));
#endif
    return value;
}

// Computes the value before what follows. Clang would otherwise move the computation behind the branches of stores, so that
// vectors which should be computed side by side wait for each other.
template <class V> TRACEXPR_INLINE void compute_here([[maybe_unused]] V& value) {
#if defined(__clang__) && defined(__AVX512F__) && !defined(__CUDACC__)
    if constexpr (sizeof value >= 16 && sizeof value <= 64) asm volatile("" : "+v"(value));
#elif defined(__clang__) && defined(__AVX__) && !defined(__CUDACC__)
    if constexpr (sizeof value >= 16 && sizeof value <= 32) asm volatile("" : "+x"(value));
#endif
}

namespace detail {
// Sets the lanes to 0, 1, 2 ...
template <class T, int W> TRACEXPR_INLINE void number_lanes(lanes<T, W>& out) {
#if defined(__CUDACC__) // nvcc 13 has no constants of vector types ("unsupported aggregate constant")
    T numbers[W];
    for (int i = 0; i < W; ++i) numbers[i] = static_cast<T>(i);
    std::memcpy(&out, numbers, sizeof out);
#else
    [&]<int... I>(std::integer_sequence<int, I...>)
        TRACEXPR_INLINE_LAMBDA { out = lanes<T, W>{T(I)...}; }(std::make_integer_sequence<int, W>{});
#endif
}
} // namespace detail
// Returns the numbers 0, 1, 2 ... in lanes that fit a register.
template <class T, int W> TRACEXPR_INLINE lanes<T, W> lane_numbers() {
    lanes<T, W> out;
    detail::number_lanes<T, W>(out);
    return out;
}

// Lane i of the result is lane Pattern::at(i) of a and b, taken as one vector of 2 W lanes. The indices are written one by one,
// because nvcc 13 hands a pack expansion in them to the host compiler unexpanded.
template <class Pattern, int W, class V> TRACEXPR_INLINE V shuffle(V const& a, V const& b) {
    using p = Pattern;
    if constexpr (W == 2) {
        return __builtin_shufflevector(a, b, p::at(0), p::at(1));
    } else if constexpr (W == 4) {
        return __builtin_shufflevector(a, b, p::at(0), p::at(1), p::at(2), p::at(3));
    } else if constexpr (W == 8) {
        return __builtin_shufflevector(a, b, p::at(0), p::at(1), p::at(2), p::at(3), p::at(4), p::at(5), p::at(6), p::at(7));
    } else {
        static_assert(W == 16);
        return __builtin_shufflevector(a, b, p::at(0), p::at(1), p::at(2), p::at(3), p::at(4), p::at(5), p::at(6), p::at(7),
                                       p::at(8), p::at(9), p::at(10), p::at(11), p::at(12), p::at(13), p::at(14), p::at(15));
    }
}

// Repeats the 16 or 32 bytes of a vector until they fill `Bytes` bytes.
template <int Bytes, class T, class V> TRACEXPR_INLINE auto repeated(V const& v) {
    constexpr int w = static_cast<int>(sizeof(V) / sizeof(T));
    if constexpr (sizeof(V) == Bytes) {
        return v;
    } else if constexpr (w == 2) {
        return repeated<Bytes, T>(__builtin_shufflevector(v, v, 0, 1, 0, 1));
#if defined(__AVX512F__) // g++ 12 does not use these instructions for the shuffles below
    } else if constexpr (Bytes == 64 && sizeof(V) == 16) {
        __m512 const all = _mm512_maskz_broadcast_f32x4(__mmask16(-1), __builtin_bit_cast(__m128, v));
        return __builtin_bit_cast(lanes<T, 4 * w>, all);
    } else if constexpr (Bytes == 64 && sizeof(V) == 32) {
        __m512d const all = _mm512_maskz_broadcast_f64x4(__mmask8(-1), __builtin_bit_cast(__m256d, v));
        return __builtin_bit_cast(lanes<T, 2 * w>, all);
#endif
    } else if constexpr (w == 4) {
        return repeated<Bytes, T>(__builtin_shufflevector(v, v, 0, 1, 2, 3, 0, 1, 2, 3));
    } else {
        return __builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7);
    }
}

// Lanes First .. First + Count - 1 of a vector, as a narrower one.
template <int First, int Count, class V> TRACEXPR_INLINE auto slice(V const& v) {
    constexpr int f = First;
    if constexpr (Count == 1) return v[f];
    else if constexpr (Count == 2) return __builtin_shufflevector(v, v, f, f + 1);
    else if constexpr (Count == 4) return __builtin_shufflevector(v, v, f, f + 1, f + 2, f + 3);
    else return __builtin_shufflevector(v, v, f, f + 1, f + 2, f + 3, f + 4, f + 5, f + 6, f + 7);
}

// Combines all lanes by f, halves first.
template <int W, class V, class F> TRACEXPR_INLINE auto reduce_lanes(V const& v, F f) {
    if constexpr (W == 1) return v;
    else if constexpr (W == 2) return f(v[0], v[1]);
    else return reduce_lanes<W / 2>(f(slice<0, W / 2>(v), slice<W / 2, W / 2>(v)), f);
}
template <int W, class V> TRACEXPR_INLINE auto sum_of_lanes(V const& v) {
    return reduce_lanes<W>(v, [](auto const& a, auto const& b) TRACEXPR_INLINE_LAMBDA { return a + b; });
}

namespace detail {
// True if there is a NaN in either vector.
template <class T, int W> TRACEXPR_INLINE bool any_nan(lanes<T, W> const& a, lanes<T, W> const& b) {
    [[maybe_unused]] constexpr bool single = sizeof(T) == 4;
#if defined(__AVX512F__)
    if constexpr (sizeof(a) == 64 && single)
        return _mm512_cmp_ps_mask(__builtin_bit_cast(__m512, a), __builtin_bit_cast(__m512, b), _CMP_UNORD_Q) != 0;
    else if constexpr (sizeof(a) == 64)
        return _mm512_cmp_pd_mask(__builtin_bit_cast(__m512d, a), __builtin_bit_cast(__m512d, b), _CMP_UNORD_Q) != 0;
    else
#endif
#if defined(__AVX__)
        if constexpr (sizeof(a) == 32 && single)
        return _mm256_movemask_ps(_mm256_cmp_ps(__builtin_bit_cast(__m256, a), __builtin_bit_cast(__m256, b), _CMP_UNORD_Q)) != 0;
    else if constexpr (sizeof(a) == 32)
        return _mm256_movemask_pd(_mm256_cmp_pd(__builtin_bit_cast(__m256d, a), __builtin_bit_cast(__m256d, b), _CMP_UNORD_Q)) !=
               0;
    else
#endif
    {
        bool any = false;
        for (int i = 0; i < W; ++i) any |= a[i] != a[i] || b[i] != b[i];
        return any;
    }
}
// True if all lanes of both, none of which is negative, are at least `low` and less than `high`. They are compared as integers,
// which have the same order, with NaN at its end.
template <class T, int W> TRACEXPR_INLINE bool all_between(lanes<T, W> const& a, lanes<T, W> const& b, T low, T high) {
    using bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    using words = lanes<bits, W>;
    bits const first = __builtin_bit_cast(bits, low), count = __builtin_bit_cast(bits, high) - first;
    words const p = (words)a - first, q = (words)b - first, most = p > q ? p : q;
#if defined(__AVX512F__)
    if constexpr (sizeof(a) == 64 && sizeof(T) == 4)
        return _mm512_cmpge_epu32_mask(__builtin_bit_cast(__m512i, most), _mm512_set1_epi32(static_cast<int>(count))) == 0;
    else if constexpr (sizeof(a) == 64)
        return _mm512_cmpge_epu64_mask(__builtin_bit_cast(__m512i, most), _mm512_set1_epi64(static_cast<long long>(count))) == 0;
    else
#endif
    {
        bool all = true;
        for (int i = 0; i < W; ++i) all &= most[i] < count;
        return all;
    }
}
} // namespace detail

} // namespace tx::inline TRACEXPR_TARGET::simd
