// This file wraps a kernel's registers as values that the definitions of pointwise ops (apply.hpp) take: with operators, and the
// functions that pointwise/values.hpp requires.
#pragma once

#include <tracexpr/backends/pointwise/apply.hpp>
#include <tracexpr/backends/vectors/casts.hpp>

namespace tx::inline TRACEXPR_TARGET::simd::detail {

// A pack is a register of numbers of dtype T, and a choice is a condition, which is -1 or 0 in each lane.
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

template <class D, class T> TRACEXPR_INLINE pack<D, T> larger(pack<D, T> const& a, pack<D, T> const& b) {
    return pack<D, T>(larger_lanes<typename D::arch, T, D::lanes>(a.v, b.v));
}
template <class D, class T> TRACEXPR_INLINE pack<D, T> smaller(pack<D, T> const& a, pack<D, T> const& b) {
    return pack<D, T>(smaller_lanes<typename D::arch, T, D::lanes>(a.v, b.v));
}

// Applies f to batches, for values of up to a register. All functions of batches are inlined through here, so this is where the
// pragma of xsimd_compat.hpp is.
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
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 13
#pragma GCC diagnostic pop
#endif

} // namespace tx::inline TRACEXPR_TARGET::simd::detail
