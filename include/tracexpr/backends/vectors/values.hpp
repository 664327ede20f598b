// What a kernel's registers hold: W elements of one dtype. Arithmetic types are compiler vectors (lanes.hpp), bool is a mask as
// wide as the kernel's widest type, and half, bfloat16 and complex are plain arrays that ops walk. W = 1 is scalar code.
#pragma once

#include <tracexpr/backends/vectors/lanes.hpp>
#include <tracexpr/backends/vectors/xsimd_compat.hpp>
#include <tracexpr/base/element.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace tx::inline TRACEXPR_TARGET::simd {

template <class T, int W> struct plain_lanes {
    T lane[W];
    constexpr T& operator[](int i) { return lane[i]; }
    constexpr T const& operator[](int i) const { return lane[i]; }
};

template <class T> inline constexpr bool is_vectorizable = std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;

namespace detail {
template <int Bytes> using signed_of_size =
    std::conditional_t<Bytes == 1, std::int8_t,
                       std::conditional_t<Bytes == 2, std::int16_t, std::conditional_t<Bytes == 4, std::int32_t, std::int64_t>>>;

template <class T, int W, int MaskBytes> struct value_of {
    using type = std::conditional_t<W == 1, T, plain_lanes<T, W>>;
};
template <class T, int W, int MaskBytes> requires is_vectorizable<T> struct value_of<T, W, MaskBytes> {
    using type = lanes<T, W>;
};
template <int W, int MaskBytes> struct value_of<bool, W, MaskBytes> {
    using type = std::conditional_t<W == 1, bool, lanes<signed_of_size<MaskBytes>, W>>;
};
} // namespace detail

// MaskBytes: the size of the widest element in the kernel.
template <class T, int W, int MaskBytes> using value = typename detail::value_of<T, W, MaskBytes>::type;

template <class V, int W> TRACEXPR_INLINE auto lane(V const& v, int i) {
    if constexpr (W == 1) return v;
    else return v[i];
}

// f(lane of each argument), for every lane.
template <class R, int W, class F, class... V> TRACEXPR_INLINE R per_lane(F f, V const&... v) {
    if constexpr (W == 1) {
        return f(v...);
    } else {
        R out;
        for (int i = 0; i < W; ++i) out[i] = f(v[i]...);
        return out;
    }
}

template <class To, int W, class V> TRACEXPR_INLINE lanes<To, W> convert_lanes(V const& v) {
    if constexpr (W == 1) return static_cast<To>(v);
    else return __builtin_convertvector(v, lanes<To, W>);
}

template <class M, int W, class V> TRACEXPR_INLINE V select(M const& mask, V const& a, V const& b) {
    if constexpr (W == 1) {
        return mask ? a : b;
    } else if constexpr (requires { typename std::enable_if_t<!std::is_class_v<V>>; }) {
        using element_type = std::remove_cvref_t<decltype(a[0])>;
        using mask_element = detail::signed_of_size<sizeof(element_type)>;
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(mask[0])>, mask_element>) return mask ? a : b;
        else return convert_lanes<mask_element, W>(mask) ? a : b;
    } else {
        V out;
        for (int i = 0; i < W; ++i) out[i] = mask[i] ? a[i] : b[i];
        return out;
    }
}

template <class T, int W, int MaskBytes> TRACEXPR_INLINE value<T, W, MaskBytes> broadcast_value(T x) {
    using V = value<T, W, MaskBytes>;
    if constexpr (W == 1) {
        return x;
    } else if constexpr (std::is_same_v<T, bool>) {
        return V{} - static_cast<std::remove_cvref_t<decltype(V{}[0])>>(x);
    } else if constexpr (is_vectorizable<T>) {
        return x - V{}; // not V{} + x, which turns -0.0 into 0.0
    } else {
        V out;
        for (int i = 0; i < W; ++i) out[i] = x;
        return out;
    }
}

template <class T, int W, int MaskBytes> TRACEXPR_INLINE value<T, W, MaskBytes> load_value(T const* from) {
    using V = value<T, W, MaskBytes>;
    if constexpr (W == 1) {
        return *from;
    } else if constexpr (std::is_same_v<T, bool>) {
        using mask_element = std::remove_cvref_t<decltype(V{}[0])>;
        lanes<std::int8_t, W> bytes;
        std::memcpy(&bytes, from, W);
        return -__builtin_convertvector(bytes, lanes<mask_element, W>);
    } else {
        V out;
        std::memcpy(static_cast<void*>(&out), from, sizeof out);
        return out;
    }
}
template <class T, int W, class V> TRACEXPR_INLINE void store_value(T* to, V const& v) {
    if constexpr (W == 1) {
        *to = v;
    } else if constexpr (std::is_same_v<T, bool>) {
        lanes<std::int8_t, W> const bytes = -__builtin_convertvector(v, lanes<std::int8_t, W>);
        std::memcpy(to, &bytes, W);
    } else {
        std::memcpy(static_cast<void*>(to), &v, sizeof v);
    }
}

// Stores past the caches, to addresses that are multiples of the vector: what is larger than they are would only displace other
// data, and lines that are written whole needn't be read. end_streams() comes before another thread may read.
#if defined(__AVX512F__)
template <class T, int W> inline constexpr bool streams = is_vectorizable<T> && W * sizeof(T) == 64;
template <class T, int W, class V> TRACEXPR_INLINE void stream_value(T* to, V const& v) {
    if constexpr (streams<T, W>) _mm512_stream_si512(reinterpret_cast<__m512i*>(to), __builtin_bit_cast(__m512i, v));
}
#elif defined(__AVX__)
template <class T, int W> inline constexpr bool streams = is_vectorizable<T> && W * sizeof(T) == 32;
template <class T, int W, class V> TRACEXPR_INLINE void stream_value(T* to, V const& v) {
    if constexpr (streams<T, W>) _mm256_stream_si256(reinterpret_cast<__m256i*>(to), __builtin_bit_cast(__m256i, v));
}
#else
template <class T, int W> inline constexpr bool streams = false;
template <class T, int W, class V> TRACEXPR_INLINE void stream_value(T*, V const&) {}
#endif
TRACEXPR_INLINE void end_streams() {
#if defined(__SSE2__)
    _mm_sfence();
#endif
}

// Registers whose loads and stores take a mask.
#if defined(__AVX512F__)
template <class T, int W> inline constexpr bool masks_memory = is_vectorizable<T> && W * sizeof(T) == 64 && sizeof(T) >= 4;
template <class T, class V> TRACEXPR_INLINE V load_masked(V const& others, std::int64_t count, T const* from) {
    __m512i const rest = __builtin_bit_cast(__m512i, others);
    if constexpr (sizeof(T) == 4)
        return __builtin_bit_cast(V, _mm512_mask_loadu_epi32(rest, static_cast<__mmask16>((1u << count) - 1), from));
    else return __builtin_bit_cast(V, _mm512_mask_loadu_epi64(rest, static_cast<__mmask8>((1u << count) - 1), from));
}
template <class T, class V> TRACEXPR_INLINE void store_masked(T* to, V const& v, std::int64_t count) {
    if constexpr (sizeof(T) == 4)
        _mm512_mask_storeu_epi32(to, static_cast<__mmask16>((1u << count) - 1), __builtin_bit_cast(__m512i, v));
    else _mm512_mask_storeu_epi64(to, static_cast<__mmask8>((1u << count) - 1), __builtin_bit_cast(__m512i, v));
}
#else
template <class T, int W> inline constexpr bool masks_memory = false;
template <class T, class V> TRACEXPR_INLINE V load_masked(V const& others, std::int64_t, T const*) { return others; }
template <class T, class V> TRACEXPR_INLINE void store_masked(T*, V const&, std::int64_t) {}
#endif

// The first `count` elements; the other lanes repeat the first, which no op can take amiss more than it does the first.
template <class T, int W, int MaskBytes>
TRACEXPR_INLINE value<T, W, MaskBytes> load_some_value(T const* from, std::int64_t count) {
    if constexpr (masks_memory<T, W>) {
        return load_masked<T>(broadcast_value<T, W, MaskBytes>(*from), count, from);
    } else {
        T some[W];
        for (int i = 0; i < W; ++i) some[i] = from[i < count ? i : 0];
        return load_value<T, W, MaskBytes>(some);
    }
}
template <class T, int W, class V> TRACEXPR_INLINE void store_some_value(T* to, V const& v, std::int64_t count) {
    if constexpr (masks_memory<T, W>) {
        store_masked<T>(to, v, count);
    } else {
        T some[W];
        store_value<T, W>(some, v);
        std::memcpy(static_cast<void*>(to), some, static_cast<std::size_t>(count) * sizeof(T));
    }
}
namespace detail {
// Which lanes of two vectors, or of what two of them have given already and a third, are every Step-th element from the first on.
// The last vector is read so that it ends with the last of them.
struct even_lanes {
    static constexpr int at(int i) { return 2 * i; }
};
template <int W> struct second_lanes {
    static constexpr int at(int i) { return i < W / 2 ? 2 * i : 2 * i + 1; }
};
template <int W> struct third_lanes {
    static constexpr int at(int i) { return 3 * i < 2 * W ? 3 * i : 0; }
};
template <int W> struct last_third_lanes {
    static constexpr int at(int i) { return 3 * i < 2 * W ? i : 3 * i - W + 2; }
};
template <int W> struct first_fourth_lanes {
    static constexpr int at(int i) { return i < W / 2 ? 4 * i : 0; }
};
template <int W> struct last_fourth_lanes {
    static constexpr int at(int i) { return i < W / 2 ? 0 : 4 * i < 3 * W ? 4 * i - 2 * W : 4 * i - 2 * W + 3; }
};
template <int W> struct joined_halves {
    static constexpr int at(int i) { return i < W / 2 ? i : W + i; }
};
template <int W> struct reversed_lanes {
    static constexpr int at(int i) { return W - 1 - i; }
};
} // namespace detail

template <class T, int W, int MaskBytes>
TRACEXPR_INLINE value<T, W, MaskBytes> load_strided_value(T const* from, std::int64_t stride, std::int64_t count = W) {
    if constexpr (W == 1) {
        return *from;
    } else {
        T some[W];
        for (int i = 0; i < W; ++i) some[i] = from[(i < count ? i : 0) * stride];
        return load_value<T, W, MaskBytes>(some);
    }
}
// W elements, `stride` apart: a Step of 2, 3, 4 or -1 says so and reads whole vectors, 1 goes lane by lane, and 0 chooses.
// Beyond: with a Step of 2 also what stands behind the last of them may be read, so that vectors needn't overlap.
template <int Step, class T, int W, int MaskBytes, bool Beyond = false>
TRACEXPR_INLINE value<T, W, MaskBytes> load_apart(T const* from, std::int64_t stride) {
    if constexpr (Step == 1 || !is_vectorizable<T> || (W != 2 && W != 4 && W != 8 && W != 16) ||
                  (W == 2 && Step == 4)) { // two vectors of 2 would reach beyond
        return load_strided_value<T, W, MaskBytes>(from, stride);
    } else if constexpr (Step == 2 && Beyond) {
        return shuffle<detail::even_lanes, W>(load<W>(from), load<W>(from + W));
    } else if constexpr (Step == 2) {
        return shuffle<detail::second_lanes<W>, W>(load<W>(from), load<W>(from + W - 1));
    } else if constexpr (Step == 3) {
        auto const front = shuffle<detail::third_lanes<W>, W>(load<W>(from), load<W>(from + W));
        return shuffle<detail::last_third_lanes<W>, W>(front, load<W>(from + 2 * W - 2));
    } else if constexpr (Step == 4) {
        auto const front = shuffle<detail::first_fourth_lanes<W>, W>(load<W>(from), load<W>(from + W));
        auto const back = shuffle<detail::last_fourth_lanes<W>, W>(load<W>(from + 2 * W), load<W>(from + 3 * W - 3));
        return shuffle<detail::joined_halves<W>, W>(front, back);
    } else if constexpr (Step == -1) {
        auto const v = load<W>(from - (W - 1));
        return shuffle<detail::reversed_lanes<W>, W>(v, v);
    } else {
        return stride == 2    ? load_apart<2, T, W, MaskBytes>(from, stride)
               : stride == 3  ? load_apart<3, T, W, MaskBytes>(from, stride)
               : stride == 4  ? load_apart<4, T, W, MaskBytes>(from, stride)
               : stride == -1 ? load_apart<-1, T, W, MaskBytes>(from, stride)
                              : load_apart<1, T, W, MaskBytes>(from, stride);
    }
}
template <class T, int W, class V>
TRACEXPR_INLINE void store_strided_value(T* to, V const& v, std::int64_t stride, std::int64_t count = W) {
    if constexpr (W == 1) {
        *to = v;
    } else {
        T some[W];
        store_value<T, W>(some, v);
        for (int i = 0; i < W; ++i)
            if (i < count) to[i * stride] = some[i];
    }
}

// An xsimd batch of the same lanes, for functions that are written on batches. Narrower values stand in its front; by way of
// memory they would wait for stores that overlap.
template <class Arch, int W, class T> TRACEXPR_INLINE xsimd::batch<T, Arch> to_batch(lanes<T, W> const& v) {
    xsimd::batch<T, Arch> out(T(1));
    static_assert(sizeof(v) <= sizeof(out.data));
    if constexpr (sizeof(v) >= 16 && sizeof(v) < sizeof(out.data)) {
        auto const filled = repeated<sizeof(out.data), T>(v);
        std::memcpy(&out.data, &filled, sizeof filled);
    } else {
        std::memcpy(&out.data, &v, sizeof v);
    }
    return out;
}
template <int W, class T, class Arch> TRACEXPR_INLINE lanes<T, W> from_batch(xsimd::batch<T, Arch> const& b) {
    lanes<T, W> out;
    std::memcpy(&out, &b.data, sizeof out);
    return out;
}

} // namespace tx::inline TRACEXPR_TARGET::simd
