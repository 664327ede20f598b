// This file holds what the definitions of pointwise ops (apply.hpp) need besides operators and functions. Vectors have their own
// versions, which are found by argument-dependent lookup (vectors/packs.hpp and vectors/complex.hpp).
#pragma once

#include <tracexpr/base/dual.hpp>
#include <tracexpr/base/element.hpp>

namespace tx::inline TRACEXPR_TARGET::simd::detail {

using tx::detail::is_small_float;

// The element type of a value: for a vector, that of its lanes.
template <class T> struct element_of_value {
    using type = T;
};
template <class T> using element_in = typename element_of_value<T>::type;
template <class T> inline constexpr bool has_booleans = std::is_same_v<element_in<T>, bool>;
template <class T> inline constexpr bool has_integers = std::is_integral_v<element_in<T>> && !has_booleans<T>;

// A floating-point constant as a value of any floating, complex or dual type.
template <class T> TRACEXPR_HD constexpr T constant(double number) {
    if constexpr (std::is_floating_point_v<T>) return static_cast<T>(number);
    else if constexpr (is_small_float<T>) return T(static_cast<float>(number));
    else return T(constant<typename T::value_type>(number));
}
template <class T> TRACEXPR_HD constexpr auto real_of(T const& x) {
    if constexpr (tx::detail::is_complex_number<T>) return x.real();
    else return x;
}

TRACEXPR_CALLS_HOST
template <class T> TRACEXPR_HD constexpr auto conjugate(T const& x) { return std::conj(x); }

// Converts integers to unsigned ones, so that arithmetic wraps; other values are unchanged.
template <class T> TRACEXPR_HD constexpr auto wrapping(T const& x) {
    if constexpr (has_integers<T>) return static_cast<std::uint64_t>(x);
    else return x;
}
// Converts back to T.
template <class T, class X> TRACEXPR_HD constexpr T as(X const& x) { return static_cast<T>(x); }

template <class T> TRACEXPR_HD constexpr T choose(bool condition, T const& a, T const& b) { return condition ? a : b; }
TRACEXPR_HD constexpr bool both(bool a, bool b) { return a && b; }
TRACEXPR_HD constexpr bool either(bool a, bool b) { return a || b; }

// Returns the larger (smaller) of two numbers; the second if they are equal or either is NaN, and the first of two equal dual
// numbers.
template <class T> TRACEXPR_HD constexpr T larger(T const& a, T const& b) {
    if constexpr (tx::detail::is_dual_number<T>) return a >= b ? a : b;
    else return a > b ? a : b;
}
template <class T> TRACEXPR_HD constexpr T smaller(T const& a, T const& b) {
    if constexpr (tx::detail::is_dual_number<T>) return a <= b ? a : b;
    else return a < b ? a : b;
}

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
// Returns the larger (smaller) of two numbers, or NaN if either is, by one instruction.
__device__ inline float larger_or_nan(float a, float b) {
    float out;
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(out) : "f"(a), "f"(b));
    return out;
}
__device__ inline float smaller_or_nan(float a, float b) {
    float out;
    asm("min.NaN.f32 %0, %1, %2;" : "=f"(out) : "f"(a), "f"(b));
    return out;
}
#endif

} // namespace tx::inline TRACEXPR_TARGET::simd::detail
