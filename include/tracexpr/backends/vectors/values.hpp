// This file holds the values in a kernel's registers: W elements of one dtype. Arithmetic types are compiler vectors (lanes.hpp),
// bool is a mask as wide as the kernel's widest type, complex numbers are two vectors, half and bfloat16 are their bits, and dual
// numbers are plain arrays that ops loop over. W = 1 is scalar code.
#pragma once

#include <tracexpr/backends/vectors/conversions.hpp>
#include <tracexpr/backends/vectors/lanes.hpp>
#include <tracexpr/backends/vectors/small_floats.hpp>
#include <tracexpr/backends/vectors/xsimd_compat.hpp>
#include <tracexpr/base/dual.hpp>
#include <tracexpr/base/element.hpp>

#include <complex>
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

template <class R, int W> struct complex_lanes {
    lanes<R, W> re, im;
    TRACEXPR_INLINE std::complex<R> operator[](int i) const { return {re[i], im[i]}; }
};

template <class T> inline constexpr bool is_vectorizable = std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;

namespace detail {
struct even_lanes {
    static constexpr int at(int i) { return 2 * i; }
};
struct odd_lanes {
    static constexpr int at(int i) { return 2 * i + 1; }
};
// Interleaves the lanes of two vectors: the first half of both, and the second half.
template <int W> struct front_pairs {
    static constexpr int at(int i) { return i / 2 + i % 2 * W; }
};
template <int W> struct back_pairs {
    static constexpr int at(int i) { return W / 2 + i / 2 + i % 2 * W; }
};

template <class T, int W, int MaskBytes> struct value_of {
    using type = std::conditional_t<W == 1, T, plain_lanes<T, W>>;
};
template <class T, int W, int MaskBytes> requires is_vectorizable<T> struct value_of<T, W, MaskBytes> {
    using type = lanes<T, W>;
};
template <class T, int W, int MaskBytes> requires is_small_float<T> struct value_of<T, W, MaskBytes> {
    using type = std::conditional_t<W == 1, T, half_bits<W>>;
};
template <class R, int W, int MaskBytes> struct value_of<std::complex<R>, W, MaskBytes> {
    using type = std::conditional_t<W == 1, std::complex<R>, complex_lanes<R, W>>;
};
template <int W, int MaskBytes> struct value_of<bool, W, MaskBytes> {
    using type = std::conditional_t<W == 1, bool, lanes<signed_of_size<MaskBytes>, W>>;
};
} // namespace detail

// MaskBytes is the size of the widest element in the kernel.
template <class T, int W, int MaskBytes> using value = typename detail::value_of<T, W, MaskBytes>::type;

template <class M, int W, class V> TRACEXPR_INLINE V select(M const& mask, V const& a, V const& b) {
    if constexpr (W == 1) {
        return mask ? a : b;
    } else if constexpr (requires { typename std::enable_if_t<!std::is_class_v<V>>; }) {
        using element_type = std::remove_cvref_t<decltype(a[0])>;
        using mask_element = detail::signed_of_size<sizeof(element_type)>;
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(mask[0])>, mask_element>) return mask ? a : b;
        else return convert_lanes<mask_element, W>(mask) ? a : b;
    } else if constexpr (requires { a.re; }) {
        return {select<M, W>(mask, a.re, b.re), select<M, W>(mask, a.im, b.im)};
    } else {
        V out;
        for (int i = 0; i < W; ++i) out[i] = mask[i] ? a[i] : b[i];
        return out;
    }
}

template <class M> TRACEXPR_INLINE bool any_lane(M const& mask) {
    std::int64_t words[sizeof(M) / 8], any = 0;
    std::memcpy(words, &mask, sizeof mask);
    for (std::int64_t const word : words) any |= word;
    return any != 0;
}

template <class T, int W, int MaskBytes> TRACEXPR_INLINE value<T, W, MaskBytes> broadcast_value(T x) {
    using V = value<T, W, MaskBytes>;
    if constexpr (W == 1) {
        return x;
    } else if constexpr (std::is_same_v<T, bool>) {
        return V{} - static_cast<std::remove_cvref_t<decltype(V{}[0])>>(x);
    } else if constexpr (is_vectorizable<T>) {
        return x - V{}; // not V{} + x, which turns -0.0 into 0.0
    } else if constexpr (tx::detail::is_complex_number<T>) {
        return {x.real() - decltype(V::re){}, x.imag() - decltype(V::im){}};
    } else if constexpr (detail::is_small_float<T>) {
        return V{} + x.bits;
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
        return -convert_lanes<mask_element, W>(bytes);
    } else if constexpr (tx::detail::is_complex_number<T>) {
        auto const* const parts = reinterpret_cast<typename T::value_type const*>(from);
        auto const front = load<W>(parts), back = load<W>(parts + W);
        return {shuffle<detail::even_lanes, W>(front, back), shuffle<detail::odd_lanes, W>(front, back)};
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
        lanes<std::int8_t, W> const bytes = -convert_lanes<std::int8_t, W>(v);
        std::memcpy(to, &bytes, W);
    } else if constexpr (tx::detail::is_complex_number<T>) {
        auto* const parts = reinterpret_cast<typename T::value_type*>(to);
        store<W>(parts, shuffle<detail::front_pairs<W>, W>(v.re, v.im));
        store<W>(parts + W, shuffle<detail::back_pairs<W>, W>(v.re, v.im));
    } else {
        std::memcpy(static_cast<void*>(to), &v, sizeof v);
    }
}

// Stores past the caches, to addresses that are multiples of the vector's size. An array that is larger than the caches would
// only evict other data, and cache lines that are written as a whole needn't be read. end_streams() must be called before another
// thread may read.
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

#if defined(__AVX512F__)
// Loads and stores that take a mask, for elements of that many bytes.
template <std::size_t Bytes> struct masked_memory {
    static constexpr bool exists = false;
};
template <> struct masked_memory<4> {
    static constexpr bool exists = true;
    TRACEXPR_INLINE static __m512i load(__m512i others, std::uint64_t mask, void const* from) {
        return _mm512_mask_loadu_epi32(others, static_cast<__mmask16>(mask), from);
    }
    TRACEXPR_INLINE static void store(void* to, std::uint64_t mask, __m512i v) {
        _mm512_mask_storeu_epi32(to, static_cast<__mmask16>(mask), v);
    }
};
template <> struct masked_memory<8> {
    static constexpr bool exists = true;
    TRACEXPR_INLINE static __m512i load(__m512i others, std::uint64_t mask, void const* from) {
        return _mm512_mask_loadu_epi64(others, static_cast<__mmask8>(mask), from);
    }
    TRACEXPR_INLINE static void store(void* to, std::uint64_t mask, __m512i v) {
        _mm512_mask_storeu_epi64(to, static_cast<__mmask8>(mask), v);
    }
};
#if defined(__AVX512BW__)
template <> struct masked_memory<1> {
    static constexpr bool exists = true;
    TRACEXPR_INLINE static __m512i load(__m512i others, std::uint64_t mask, void const* from) {
        return _mm512_mask_loadu_epi8(others, static_cast<__mmask64>(mask), from);
    }
    TRACEXPR_INLINE static void store(void* to, std::uint64_t mask, __m512i v) {
        _mm512_mask_storeu_epi8(to, static_cast<__mmask64>(mask), v);
    }
};
template <> struct masked_memory<2> {
    static constexpr bool exists = true;
    TRACEXPR_INLINE static __m512i load(__m512i others, std::uint64_t mask, void const* from) {
        return _mm512_mask_loadu_epi16(others, static_cast<__mmask32>(mask), from);
    }
    TRACEXPR_INLINE static void store(void* to, std::uint64_t mask, __m512i v) {
        _mm512_mask_storeu_epi16(to, static_cast<__mmask32>(mask), v);
    }
};
#endif
TRACEXPR_INLINE std::uint64_t first_bits(std::int64_t count) {
    return count < 64 ? (std::uint64_t{1} << count) - 1 : ~std::uint64_t{0};
}
// True for registers whose loads and stores take a mask.
template <class T, int W> inline constexpr bool masks_memory =
    is_vectorizable<T> && W * sizeof(T) == 64 && masked_memory<sizeof(T)>::exists;
template <class T, class V> TRACEXPR_INLINE V load_masked(V const& others, std::int64_t count, T const* from) {
    return __builtin_bit_cast(V, masked_memory<sizeof(T)>::load(__builtin_bit_cast(__m512i, others), first_bits(count), from));
}
template <class T, class V> TRACEXPR_INLINE void store_masked(T* to, V const& v, std::int64_t count) {
    masked_memory<sizeof(T)>::store(to, first_bits(count), __builtin_bit_cast(__m512i, v));
}
#else
template <class T, int W> inline constexpr bool masks_memory = false;
template <class T, class V> TRACEXPR_INLINE V load_masked(V const& others, std::int64_t, T const*) { return others; }
template <class T, class V> TRACEXPR_INLINE void store_masked(T*, V const&, std::int64_t) {}
#endif

// Copies fewer bytes than a vector has, as two words of the largest size that fits, which overlap.
template <std::size_t Size = 32> TRACEXPR_INLINE void copy_part(std::byte* to, std::byte const* from, std::size_t bytes) {
    if constexpr (Size == 1) {
        if (bytes) *to = *from;
    } else if (bytes < Size) {
        copy_part<Size / 2>(to, from, bytes);
    } else {
        std::byte first[Size], last[Size];
        std::memcpy(first, from, Size);
        std::memcpy(last, from + bytes - Size, Size);
        std::memcpy(to, first, Size);
        std::memcpy(to + bytes - Size, last, Size);
    }
}
// Loads the first `count` elements; the other lanes repeat the first one, so that ops on them raise nothing that they don't raise
// for it.
template <class T, int W, int MaskBytes>
TRACEXPR_INLINE value<T, W, MaskBytes> load_some_value(T const* from, std::int64_t count) {
    if constexpr (masks_memory<T, W>) {
        return load_masked<T>(broadcast_value<T, W, MaskBytes>(*from), count, from);
    } else {
        T some[W];
        if constexpr (is_vectorizable<T> && W * sizeof(T) <= 64) {
            store_value<T, W>(some, broadcast_value<T, W, MaskBytes>(*from));
            copy_part(reinterpret_cast<std::byte*>(some), reinterpret_cast<std::byte const*>(from),
                      static_cast<std::size_t>(count) * sizeof(T));
        } else {
            for (int i = 0; i < W; ++i) some[i] = from[i < count ? i : 0];
        }
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
// These patterns take every Step-th element, from the first on, from two vectors, or from what was taken from two vectors already
// and a third one. The last vector is read so that it ends with the last of these elements.
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
// Loads W elements which are `stride` apart. A Step of 2, 3, 4 or -1 is that stride as a constant, and reads whole vectors; 1
// loads lane by lane, and 0 chooses. If Beyond, a Step of 2 may read behind the last element, so that vectors needn't overlap.
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

// Returns an xsimd batch with the same lanes, for functions that are written on batches. A narrower value is in its front, filled
// up by a shuffle, as going through memory would wait for overlapping stores.
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

namespace detail {
// x86_arch is the x86 architecture whose registers are as wide as V; void if there is none.
template <class Arch, class V> using x86_arch = std::conditional_t<
    sizeof(V) == 64 && std::is_base_of_v<xsimd::avx512f, Arch>, Arch,
    std::conditional_t<
        sizeof(V) == 32 && (std::is_base_of_v<xsimd::avx, Arch> || std::is_base_of_v<xsimd::avx512f, Arch>), xsimd::avx,
        std::conditional_t<sizeof(V) == 16 && (std::is_base_of_v<xsimd::sse2, Arch> || std::is_base_of_v<xsimd::avx, Arch> ||
                                               std::is_base_of_v<xsimd::avx512f, Arch>),
                           xsimd::sse2, void>>>;

// Returns the larger (smaller) lanes; the second where they are equal or either is NaN. This uses x86's own instructions, which
// g++ 12 doesn't find in a comparison of floating-point vectors.
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 13 // see xsimd_compat.hpp
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
template <class Arch, class T, int W> TRACEXPR_INLINE lanes<T, W> larger_lanes(lanes<T, W> const& a, lanes<T, W> const& b) {
    using arch = x86_arch<Arch, lanes<T, W>>;
    if constexpr (std::is_floating_point_v<T> && !std::is_void_v<arch>)
        return from_batch<W>(batch_max(to_batch<arch, W, T>(a), to_batch<arch, W, T>(b)));
    else return a > b ? a : b;
}
template <class Arch, class T, int W> TRACEXPR_INLINE lanes<T, W> smaller_lanes(lanes<T, W> const& a, lanes<T, W> const& b) {
    using arch = x86_arch<Arch, lanes<T, W>>;
    if constexpr (std::is_floating_point_v<T> && !std::is_void_v<arch>)
        return from_batch<W>(batch_min(to_batch<arch, W, T>(a), to_batch<arch, W, T>(b)));
    else return a < b ? a : b;
}
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 13
#pragma GCC diagnostic pop
#endif
} // namespace detail

} // namespace tx::inline TRACEXPR_TARGET::simd
