// Pointwise ops on a kernel's registers, as apply.hpp defines them: operators act on vectors of any length, functions on batches,
// and what has neither goes lane by lane.
#pragma once

#include <tracexpr/backends/pointwise/apply.hpp>
#include <tracexpr/backends/pointwise/cast.hpp>
#include <tracexpr/backends/vectors/values.hpp>

namespace tx::inline TRACEXPR_TARGET::simd {

// What a kernel is compiled for: lanes, the size of its widest element, the instruction set.
template <int Lanes, int MaskBytes, class Architecture> struct target {
    static constexpr int lanes = Lanes;
    static constexpr int mask_bytes = MaskBytes;
    using arch = Architecture;
    template <class T> using value_of = value<T, Lanes, MaskBytes>;
};

namespace detail {

// A comparison's result as the kernel's mask.
template <class Target, class V> TRACEXPR_INLINE auto as_mask(V const& comparison) {
    return convert_lanes<signed_of_size<Target::mask_bytes>, Target::lanes>(comparison);
}

// The architecture of x86 whose registers are as wide as V; void where there is none.
template <class Arch, class V> using x86_arch = std::conditional_t<
    sizeof(V) == 64 && std::is_base_of_v<xsimd::avx512f, Arch>, Arch,
    std::conditional_t<
        sizeof(V) == 32 && (std::is_base_of_v<xsimd::avx, Arch> || std::is_base_of_v<xsimd::avx512f, Arch>), xsimd::avx,
        std::conditional_t<sizeof(V) == 16 && (std::is_base_of_v<xsimd::sse2, Arch> || std::is_base_of_v<xsimd::avx, Arch> ||
                                               std::is_base_of_v<xsimd::avx512f, Arch>),
                           xsimd::sse2, void>>>;

// Registers in the definitions: numbers of dtype T, and conditions, -1 or 0 in each lane.
template <class Target, class T> struct pack {
    using lanes_type = lanes<T, Target::lanes>;
    lanes_type v;

    TRACEXPR_INLINE explicit pack(lanes_type const& x) : v(x) {}
    TRACEXPR_INLINE explicit pack(T x) : v(x - lanes_type{}) {}
    template <class U> TRACEXPR_INLINE explicit pack(pack<Target, U> const& x) : v((lanes_type)x.v) {} // the same bits
};
template <class Target, class V> struct choice {
    V v;
};
template <class Target, class T> struct element_of_value<pack<Target, T>> {
    using type = T;
};
template <class Target, class V> struct element_of_value<choice<Target, V>> {
    using type = bool;
};

template <class D, class T> TRACEXPR_INLINE pack<D, T> operator-(pack<D, T> const& a) { return pack<D, T>(-a.v); }
template <class D, class T> TRACEXPR_INLINE pack<D, T> operator~(pack<D, T> const& a) { return pack<D, T>(~a.v); }
template <class D, class T> TRACEXPR_INLINE pack<D, T> operator+(pack<D, T> const& a, pack<D, T> const& b) {
    TRACEXPR_FUSES
    return pack<D, T>(a.v + b.v);
}
template <class D, class T> TRACEXPR_INLINE pack<D, T> operator-(pack<D, T> const& a, pack<D, T> const& b) {
    TRACEXPR_FUSES
    return pack<D, T>(a.v - b.v);
}
template <class D, class T> TRACEXPR_INLINE pack<D, T> operator*(pack<D, T> const& a, pack<D, T> const& b) {
    TRACEXPR_FUSES
    return pack<D, T>(a.v * b.v);
}
template <class D, class T> TRACEXPR_INLINE pack<D, T> operator/(pack<D, T> const& a, pack<D, T> const& b) {
    return pack<D, T>(a.v / b.v);
}
template <class D, class T> TRACEXPR_INLINE pack<D, T> operator&(pack<D, T> const& a, pack<D, T> const& b) {
    return pack<D, T>(a.v & b.v);
}
template <class D, class T> TRACEXPR_INLINE pack<D, T> operator|(pack<D, T> const& a, pack<D, T> const& b) {
    return pack<D, T>(a.v | b.v);
}
template <class D, class T> TRACEXPR_INLINE pack<D, T> operator^(pack<D, T> const& a, pack<D, T> const& b) {
    return pack<D, T>(a.v ^ b.v);
}

template <class D, class V> TRACEXPR_INLINE choice<D, V> chosen(V const& v) { return {v}; }
template <class D, class T> TRACEXPR_INLINE auto operator==(pack<D, T> const& a, pack<D, T> const& b) {
    return chosen<D>(a.v == b.v);
}
template <class D, class T> TRACEXPR_INLINE auto operator!=(pack<D, T> const& a, pack<D, T> const& b) {
    return chosen<D>(a.v != b.v);
}
template <class D, class T> TRACEXPR_INLINE auto operator<(pack<D, T> const& a, pack<D, T> const& b) {
    return chosen<D>(a.v < b.v);
}
template <class D, class T> TRACEXPR_INLINE auto operator<=(pack<D, T> const& a, pack<D, T> const& b) {
    return chosen<D>(a.v <= b.v);
}
template <class D, class T> TRACEXPR_INLINE auto operator>(pack<D, T> const& a, pack<D, T> const& b) {
    return chosen<D>(a.v > b.v);
}
template <class D, class T> TRACEXPR_INLINE auto operator>=(pack<D, T> const& a, pack<D, T> const& b) {
    return chosen<D>(a.v >= b.v);
}
template <class D, class V> TRACEXPR_INLINE choice<D, V> operator!(choice<D, V> const& a) { return {~a.v}; }
template <class D, class V> TRACEXPR_INLINE choice<D, V> both(choice<D, V> const& a, choice<D, V> const& b) {
    return {a.v & b.v};
}
template <class D, class V> TRACEXPR_INLINE choice<D, V> either(choice<D, V> const& a, choice<D, V> const& b) {
    return {a.v | b.v};
}
template <class D, class V> TRACEXPR_INLINE choice<D, V> operator==(choice<D, V> const& a, choice<D, V> const& b) {
    return {~(a.v ^ b.v)};
}
template <class D, class V> TRACEXPR_INLINE choice<D, V> operator!=(choice<D, V> const& a, choice<D, V> const& b) {
    return {a.v ^ b.v};
}
template <class D, class V> TRACEXPR_INLINE choice<D, V> operator<(choice<D, V> const& a, choice<D, V> const& b) {
    return {~a.v & b.v};
}
template <class D, class V> TRACEXPR_INLINE choice<D, V> operator<=(choice<D, V> const& a, choice<D, V> const& b) {
    return {~a.v | b.v};
}
template <class D, class V> TRACEXPR_INLINE choice<D, V> operator>(choice<D, V> const& a, choice<D, V> const& b) {
    return {a.v & ~b.v};
}
template <class D, class V> TRACEXPR_INLINE choice<D, V> operator>=(choice<D, V> const& a, choice<D, V> const& b) {
    return {a.v | ~b.v};
}

template <class D, class T> TRACEXPR_INLINE auto wrapping(pack<D, T> const& x) {
    if constexpr (std::is_integral_v<T>) return pack<D, std::make_unsigned_t<T>>(x);
    else return x;
}
template <class D, class V, class T>
TRACEXPR_INLINE pack<D, T> choose(choice<D, V> const& condition, pack<D, T> const& a, pack<D, T> const& b) {
    return pack<D, T>(select<V, D::lanes>(condition.v, a.v, b.v));
}

// f on batches, for values of up to a register. All functions of batches are inlined through here: the pragma of
// xsimd_compat.hpp.
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 13
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
template <class D, class T, class F, class... More>
TRACEXPR_INLINE pack<D, T> by_batch(F f, pack<D, T> const& x, More const&... more) {
    constexpr int W = D::lanes;
    using arch = typename D::arch;
    return pack<D, T>(from_batch<W>(f(to_batch<arch, W, T>(x.v), to_batch<arch, W, T>(more.v)...)));
}
template <op Code> struct function_of_batches {
    template <class... B> TRACEXPR_INLINE auto operator()(B const&... x) const { return by_functions<Code>(x...); }
};

// x86's own: g++ 12 doesn't see it in a comparison of floating vectors.
template <class D, class T> TRACEXPR_INLINE pack<D, T> larger(pack<D, T> const& a, pack<D, T> const& b) {
    using arch = x86_arch<typename D::arch, typename pack<D, T>::lanes_type>;
    if constexpr (std::is_floating_point_v<T> && !std::is_void_v<arch>)
        return pack<D, T>(from_batch<D::lanes>(xsimd::max(to_batch<arch, D::lanes, T>(a.v), to_batch<arch, D::lanes, T>(b.v))));
    else return pack<D, T>(a.v > b.v ? a.v : b.v);
}
template <class D, class T> TRACEXPR_INLINE pack<D, T> smaller(pack<D, T> const& a, pack<D, T> const& b) {
    using arch = x86_arch<typename D::arch, typename pack<D, T>::lanes_type>;
    if constexpr (std::is_floating_point_v<T> && !std::is_void_v<arch>)
        return pack<D, T>(from_batch<D::lanes>(xsimd::min(to_batch<arch, D::lanes, T>(a.v), to_batch<arch, D::lanes, T>(b.v))));
    else return pack<D, T>(a.v < b.v ? a.v : b.v);
}
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 13
#pragma GCC diagnostic pop
#endif

// Without optimisation g++ 12 can't compile conversions of vectors to wider elements that are no registers.
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 13 && !defined(__OPTIMIZE__)
template <op> inline constexpr bool divides_vectors = false;
#else
template <op Code> inline constexpr bool divides_vectors = Code == op::floor_divide || Code == op::remainder || Code == op::fmod;
#endif
// Quotient or rest of integers, by way of a floating type that tells any two quotients apart; 0 where b is 0. Floors: rounded
// down, as Python does, not towards zero. The builtin, as the wider vectors may be no registers of the instruction set, which no
// function may return.
template <op Code, class T, class V> TRACEXPR_INLINE V divided(V const& a, V const& b) {
    constexpr int W = static_cast<int>(sizeof(V) / sizeof(T));
    constexpr bool floors = Code != op::fmod, gives_rest = Code != op::floor_divide;
    using F = std::conditional_t<sizeof(T) == 4, double, float>;
    using wide = std::conditional_t<sizeof(T) == 4, std::int64_t, std::int32_t>; // holds what no T does: the least T by -1
    using wrapped = lanes<std::make_unsigned_t<T>, W>;
    V const divisor = b - (V)(b == V{}); // 1 for 0
    auto const ratio = __builtin_convertvector(a, lanes<F, W>) / __builtin_convertvector(divisor, lanes<F, W>);
    V quotient = __builtin_convertvector(__builtin_convertvector(ratio, lanes<wide, W>), V);
    V rest = (V)((wrapped)a - (wrapped)quotient * (wrapped)divisor);
    if constexpr (floors && std::is_signed_v<T>) {
        V const too_great = (V)(rest != V{}) & (V)((rest ^ divisor) < V{});
        quotient += too_great;
        rest += too_great & divisor;
    }
    return (V)(b != V{}) & (gives_rest ? rest : quotient);
}

// Lane i of a value of dtype T as an element.
template <class T, int W, class V> TRACEXPR_INLINE T element_at(V const& v, int i) {
    if constexpr (W == 1) return v;
    else return static_cast<T>(v[i]); // a mask's -1 is true
}

template <class Target, op Code, class R, class T, class... V>
TRACEXPR_INLINE typename Target::template value_of<R> lane_by_lane(V const&... v) {
    constexpr int W = Target::lanes;
    R out[W];
    for (int i = 0; i < W; ++i) out[i] = static_cast<R>(apply<Code>(element_at<T, W>(v, i)...));
    return load_value<R, W, Target::mask_bytes>(out);
}

// A register as the definitions take it, and their results as the kernel's registers.
template <class Target, class T, class V> TRACEXPR_INLINE auto defined(V const& v) {
    if constexpr (std::is_same_v<T, bool>) return chosen<Target>(v);
    else return pack<Target, T>(v);
}
template <class D, class T> TRACEXPR_INLINE auto kept_in_register(pack<D, T> const& x) { return x.v; }
template <class D, class V> TRACEXPR_INLINE auto kept_in_register(choice<D, V> const& x) { return as_mask<D>(x.v); }
} // namespace detail

// The op on values of dtype T, giving dtype R.
template <class Target, op Code, class R, class T, class... V>
TRACEXPR_INLINE typename Target::template value_of<R> vector_op(V const&... v) {
    if constexpr (Target::lanes == 1) return static_cast<R>(apply<Code>(static_cast<T>(v)...));
    else if constexpr (!TRACEXPR_HAS_VECTORS || (!is_vectorizable<T> && !std::is_same_v<T, bool>))
        return detail::lane_by_lane<Target, Code, R, T>(v...);
    else if constexpr (detail::has_operators<Code, decltype(detail::defined<Target, T>(v))...>)
        return detail::kept_in_register(detail::by_operators<Code>(detail::defined<Target, T>(v)...));
    else if constexpr (std::is_floating_point_v<T>)
        return detail::kept_in_register(detail::by_batch(detail::function_of_batches<Code>{}, detail::defined<Target, T>(v)...));
    else if constexpr (detail::divides_vectors<Code> && sizeof(T) < 8) return detail::divided<Code, T>(v...);
    else return detail::lane_by_lane<Target, Code, R, T>(v...);
}

template <class Target, class To, class From, class V>
TRACEXPR_INLINE typename Target::template value_of<To> cast_value(V const& v) {
    constexpr int W = Target::lanes;
    using out = typename Target::template value_of<To>;
    constexpr bool saturates = std::is_floating_point_v<From> && std::is_integral_v<To>;
    if constexpr (W == 1) {
        return cast_element<To>(static_cast<From>(v));
    } else if constexpr (is_vectorizable<To> && std::is_same_v<From, bool>) {
        return convert_lanes<To, W>(-v);
    } else if constexpr (is_vectorizable<To> && is_vectorizable<From> && !saturates) {
        return convert_lanes<To, W>(v);
    } else if constexpr (std::is_same_v<To, bool> && is_vectorizable<From>) {
        return detail::as_mask<Target>(v != V{});
    } else {
        To some[W];
        for (int i = 0; i < W; ++i) some[i] = cast_element<To>(detail::element_at<From, W>(v, i));
        return load_value<To, W, Target::mask_bytes>(some);
    }
    static_assert(sizeof(out) > 0);
}

} // namespace tx::inline TRACEXPR_TARGET::simd
