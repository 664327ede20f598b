// Pointwise ops on a kernel's registers. Floating point goes through the batch functions of math.hpp, integers through vector
// arithmetic, and whatever has no vector form through scalar_op, lane by lane.
#pragma once

#include <tracexpr/backends/math/math.hpp>
#include <tracexpr/backends/vectors/scalar_ops.hpp>
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

// f on batches, for values of up to a register. All functions of batches are inlined through here and float_op: the pragma of
// xsimd_compat.hpp.
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 13
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
template <class Target, class T, class F, class... V> TRACEXPR_INLINE auto by_batch(F f, V const&... v) {
    constexpr int W = Target::lanes;
    using arch = typename Target::arch;
    return from_batch<W>(f(to_batch<arch, W, T>(v)...));
}

// A comparison's result as the kernel's mask.
template <class Target, class V> TRACEXPR_INLINE auto as_mask(V const& comparison) {
    return convert_lanes<signed_of_size<Target::mask_bytes>, Target::lanes>(comparison);
}

template <op Code, class V> TRACEXPR_INLINE auto compare(V const& a, V const& b) {
    if constexpr (Code == op::equal) return a == b;
    else if constexpr (Code == op::not_equal) return a != b;
    else if constexpr (Code == op::less) return a < b;
    else if constexpr (Code == op::less_equal) return a <= b;
    else if constexpr (Code == op::greater) return a > b;
    else return a >= b;
}

template <class Target, op Code, class T, class V> TRACEXPR_INLINE auto float_op(V const& x) {
    TRACEXPR_FUSES
    auto const batch = [&](auto batch_op) { return by_batch<Target, T>(batch_op, x); };
    V const zero{};
    if constexpr (Code == op::negative) return -x;
    else if constexpr (Code == op::absolute) return batch([](auto const& b) { return xsimd::abs(b); });
    else if constexpr (Code == op::sign)
        return select<decltype(x == x), Target::lanes>(
            x > zero, zero + T(1), select<decltype(x == x), Target::lanes>(x < zero, zero - T(1), x + zero)); // -0 gives 0
    else if constexpr (Code == op::square) return x * x;
    else if constexpr (Code == op::reciprocal) return T(1) / x;
    else if constexpr (Code == op::sqrt) return batch([](auto const& b) { return xsimd::sqrt(b); });
    else if constexpr (Code == op::floor) return batch([](auto const& b) { return math::floor(b); });
    else if constexpr (Code == op::ceil) return batch([](auto const& b) { return math::ceil(b); });
    else if constexpr (Code == op::round) return batch([](auto const& b) { return xsimd::nearbyint(b); });
    else if constexpr (Code == op::trunc) return batch([](auto const& b) { return math::trunc(b); });
    else if constexpr (Code == op::isnan) return as_mask<Target>(x != x);
    else if constexpr (Code == op::isinf)
        return as_mask<Target>((x == std::numeric_limits<T>::infinity()) | (x == -std::numeric_limits<T>::infinity()));
    else if constexpr (Code == op::isfinite)
        return as_mask<Target>((x > -std::numeric_limits<T>::infinity()) & (x < std::numeric_limits<T>::infinity()));
    else if constexpr (Code == op::rsqrt) return batch([](auto const& b) { return math::rsqrt(b); });
    else if constexpr (Code == op::cbrt) return batch([](auto const& b) { return math::cbrt(b); });
    else if constexpr (Code == op::exp) return batch([](auto const& b) { return math::exp(b); });
    else if constexpr (Code == op::exp2) return batch([](auto const& b) { return math::exp2(b); });
    else if constexpr (Code == op::expm1) return batch([](auto const& b) { return math::expm1(b); });
    else if constexpr (Code == op::log) return batch([](auto const& b) { return math::log(b); });
    else if constexpr (Code == op::log2) return batch([](auto const& b) { return math::log2(b); });
    else if constexpr (Code == op::log10) return batch([](auto const& b) { return math::log10(b); });
    else if constexpr (Code == op::log1p) return batch([](auto const& b) { return math::log1p(b); });
    else if constexpr (Code == op::sin) return batch([](auto const& b) { return math::sin(b); });
    else if constexpr (Code == op::cos) return batch([](auto const& b) { return math::cos(b); });
    else if constexpr (Code == op::tan) return batch([](auto const& b) { return math::tan(b); });
    else if constexpr (Code == op::asin) return batch([](auto const& b) { return math::asin(b); });
    else if constexpr (Code == op::acos) return batch([](auto const& b) { return math::acos(b); });
    else if constexpr (Code == op::atan) return batch([](auto const& b) { return math::atan(b); });
    else if constexpr (Code == op::sinh) return batch([](auto const& b) { return math::sinh(b); });
    else if constexpr (Code == op::cosh) return batch([](auto const& b) { return math::cosh(b); });
    else if constexpr (Code == op::tanh) return batch([](auto const& b) { return math::tanh(b); });
    else if constexpr (Code == op::asinh) return batch([](auto const& b) { return math::asinh(b); });
    else if constexpr (Code == op::acosh) return batch([](auto const& b) { return math::acosh(b); });
    else if constexpr (Code == op::atanh) return batch([](auto const& b) { return math::atanh(b); });
    else if constexpr (Code == op::erf) return batch([](auto const& b) { return math::erf(b); });
    else if constexpr (Code == op::erfc) return batch([](auto const& b) { return math::erfc(b); });
    else if constexpr (Code == op::lgamma) return batch([](auto const& b) { return math::lgamma(b); });
    else if constexpr (Code == op::sigmoid) return batch([](auto const& b) { return math::sigmoid(b); });
    else static_assert(always_false<T>, "tx: an op without a vector kernel");
}

// The architecture of x86 whose registers are as wide as V; void where there is none.
template <class Arch, class V> using x86_arch = std::conditional_t<
    sizeof(V) == 64 && std::is_base_of_v<xsimd::avx512f, Arch>, Arch,
    std::conditional_t<
        sizeof(V) == 32 && (std::is_base_of_v<xsimd::avx, Arch> || std::is_base_of_v<xsimd::avx512f, Arch>), xsimd::avx,
        std::conditional_t<sizeof(V) == 16 && (std::is_base_of_v<xsimd::sse2, Arch> || std::is_base_of_v<xsimd::avx, Arch> ||
                                               std::is_base_of_v<xsimd::avx512f, Arch>),
                           xsimd::sse2, void>>>;
// a where it is the larger (smaller), else b, also where either is NaN: x86's own, which g++ 12 doesn't see in a comparison.
template <class Target, op Code, class T, class V> TRACEXPR_INLINE V extreme(V const& a, V const& b) {
    using arch = x86_arch<typename Target::arch, V>;
    if constexpr (!std::is_void_v<arch>)
        return by_batch<target<Target::lanes, Target::mask_bytes, arch>, T>(
            [](auto const& x, auto const& y) {
                if constexpr (Code == op::maximum) return xsimd::max(x, y);
                else return xsimd::min(x, y);
            },
            a, b);
    else if constexpr (Code == op::maximum) return a > b ? a : b;
    else return a < b ? a : b;
}

template <class Target, op Code, class T, class V> TRACEXPR_INLINE auto float_op(V const& a, V const& b) {
    TRACEXPR_FUSES
    auto const batch = [&](auto batch_op) { return by_batch<Target, T>(batch_op, a, b); };
    if constexpr (is_comparison(Code)) return as_mask<Target>(compare<Code>(a, b));
    else if constexpr (Code == op::add) return a + b;
    else if constexpr (Code == op::subtract) return a - b;
    else if constexpr (Code == op::multiply) return a * b;
    else if constexpr (Code == op::divide) return a / b;
    else if constexpr (Code == op::maximum || Code == op::minimum)
        return select<decltype(a == b), Target::lanes>(a != a, a, extreme<Target, Code, T>(a, b));
    else if constexpr (Code == op::floor_divide)
        return batch([](auto const& x, auto const& y) { return math::floor_divide(x, y); });
    else if constexpr (Code == op::remainder) return batch([](auto const& x, auto const& y) { return math::remainder(x, y); });
    else if constexpr (Code == op::fmod) return batch([](auto const& x, auto const& y) { return math::fmod(x, y); });
    else if constexpr (Code == op::power) return batch([](auto const& x, auto const& y) { return math::pow(x, y); });
    else if constexpr (Code == op::atan2) return batch([](auto const& x, auto const& y) { return math::atan2(x, y); });
    else if constexpr (Code == op::hypot) return batch([](auto const& x, auto const& y) { return math::hypot(x, y); });
    else if constexpr (Code == op::logaddexp) return batch([](auto const& x, auto const& y) { return math::logaddexp(x, y); });
    else if constexpr (Code == op::copysign) return batch([](auto const& x, auto const& y) { return math::copysign(x, y); });
    else if constexpr (Code == op::polygamma) return batch([](auto const& x, auto const& y) { return math::polygamma(x, y); });
    else static_assert(always_false<T>, "tx: an op without a vector kernel");
}
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 13
#pragma GCC diagnostic pop
#endif

// Quotient or rest of integers, by way of a floating type that tells any two quotients apart; 0 where b is 0. Floors: rounded
// down, as Python does, not towards zero. The builtin, as the wider vectors may be no registers of the instruction set, which no
// function may return.
template <bool Floors, bool Rest, class T, class V> TRACEXPR_INLINE V divided(V const& a, V const& b) {
    constexpr int W = static_cast<int>(sizeof(V) / sizeof(T));
    using F = std::conditional_t<sizeof(T) == 4, double, float>;
    using wide = std::conditional_t<sizeof(T) == 4, std::int64_t, std::int32_t>; // holds what no T does: the least T by -1
    using wrapped = lanes<std::make_unsigned_t<T>, W>;
    V const divisor = b - (V)(b == V{}); // 1 for 0
    auto const ratio = __builtin_convertvector(a, lanes<F, W>) / __builtin_convertvector(divisor, lanes<F, W>);
    V quotient = __builtin_convertvector(__builtin_convertvector(ratio, lanes<wide, W>), V);
    V rest = (V)((wrapped)a - (wrapped)quotient * (wrapped)divisor);
    if constexpr (Floors && std::is_signed_v<T>) {
        V const too_great = (V)(rest != V{}) & (V)((rest ^ divisor) < V{});
        quotient += too_great;
        rest += too_great & divisor;
    }
    return (V)(b != V{}) & (Rest ? rest : quotient);
}

// Integers wrap, so they are added and multiplied as unsigned. Returns nothing where lanes must go one by one.
template <class Target, op Code, class T, class V> TRACEXPR_INLINE auto integer_op(V const& a, V const& b) {
    using unsigned_lanes = lanes<std::make_unsigned_t<T>, Target::lanes>;
    auto const wrap = [](auto const& x) { return (unsigned_lanes)x; };
    if constexpr (is_comparison(Code)) return as_mask<Target>(compare<Code>(a, b));
    else if constexpr (Code == op::add) return (V)(wrap(a) + wrap(b));
    else if constexpr (Code == op::subtract) return (V)(wrap(a) - wrap(b));
    else if constexpr (Code == op::multiply) return (V)(wrap(a) * wrap(b));
    else if constexpr (Code == op::maximum) return a > b ? a : b;
    else if constexpr (Code == op::minimum) return a < b ? a : b;
    else if constexpr (sizeof(T) < 8 && Code == op::floor_divide) return divided<true, false, T>(a, b);
    else if constexpr (sizeof(T) < 8 && Code == op::remainder) return divided<true, true, T>(a, b);
    else if constexpr (sizeof(T) < 8 && Code == op::fmod) return divided<false, true, T>(a, b);
    else if constexpr (Code == op::bitwise_and) return a & b;
    else if constexpr (Code == op::bitwise_or) return a | b;
    else if constexpr (Code == op::bitwise_xor) return a ^ b;
}
template <class Target, op Code, class T, class V> TRACEXPR_INLINE auto integer_op(V const& a) {
    if constexpr (Code == op::negative) return integer_op<Target, op::subtract, T>(V{}, a);
    else if constexpr (Code == op::square) return integer_op<Target, op::multiply, T>(a, a);
    else if constexpr (Code == op::bitwise_not) return ~a;
    else if constexpr (Code == op::absolute && std::is_signed_v<T>)
        return a < V{} ? integer_op<Target, op::subtract, T>(V{}, a) : a;
}

template <class Target, op Code, class M> TRACEXPR_INLINE auto mask_op(M const& a) { return ~a; }
template <class Target, op Code, class M> TRACEXPR_INLINE auto mask_op(M const& a, M const& b) {
    if constexpr (Code == op::logical_and || Code == op::multiply || Code == op::bitwise_and || Code == op::minimum) return a & b;
    else if constexpr (Code == op::logical_or || Code == op::add || Code == op::bitwise_or || Code == op::maximum) return a | b;
    else if constexpr (Code == op::equal) return ~(a ^ b);
    else if constexpr (Code == op::less) return ~a & b;
    else if constexpr (Code == op::less_equal) return ~a | b;
    else if constexpr (Code == op::greater) return a & ~b;
    else if constexpr (Code == op::greater_equal) return a | ~b;
    else return a ^ b; // xor, not_equal
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
    for (int i = 0; i < W; ++i) out[i] = static_cast<R>(scalar_op<Code>(element_at<T, W>(v, i)...));
    return load_value<R, W, Target::mask_bytes>(out);
}
} // namespace detail

// The op on values of dtype T, giving dtype R.
template <class Target, op Code, class R, class T, class... V>
TRACEXPR_INLINE typename Target::template value_of<R> vector_op(V const&... v) {
    constexpr bool masks = std::is_same_v<T, bool> && !(Code == op::isnan || Code == op::isinf || Code == op::isfinite);
    if constexpr (Target::lanes == 1) {
        return static_cast<R>(scalar_op<Code>(static_cast<T>(v)...));
    } else if constexpr (masks) {
        return detail::mask_op<Target, Code>(v...);
    } else if constexpr (std::is_floating_point_v<T> && Code == op::fma) {
        return detail::by_batch<Target, T>([](auto const& a, auto const& b, auto const& c) { return math::prim::fma(a, b, c); },
                                           v...);
    } else if constexpr (std::is_floating_point_v<T>) {
        return detail::float_op<Target, Code, T>(v...);
    } else if constexpr (is_vectorizable<T> && sizeof...(V) < 3) {
        if constexpr (std::is_void_v<decltype(detail::integer_op<Target, Code, T>(v...))>)
            return detail::lane_by_lane<Target, Code, R, T>(v...);
        else return detail::integer_op<Target, Code, T>(v...);
    } else {
        return detail::lane_by_lane<Target, Code, R, T>(v...);
    }
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
