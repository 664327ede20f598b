// The transcendental functions on single numbers, under the names that the SIMD versions have: the tail of a loop, the GPU, and
// rare lanes call these. NumPy's definitions where <cmath> has none.
#pragma once

#include <tracexpr/base/config.hpp>
#include <tracexpr/base/polygamma.hpp>

#include <cmath>
#include <concepts>

namespace tx::inline TRACEXPR_TARGET::simd::math {

template <std::floating_point T> TRACEXPR_HD inline T exp(T x) { return std::exp(x); }
template <std::floating_point T> TRACEXPR_HD inline T exp2(T x) { return std::exp2(x); }
template <std::floating_point T> TRACEXPR_HD inline T expm1(T x) { return std::expm1(x); }
template <std::floating_point T> TRACEXPR_HD inline T log(T x) { return std::log(x); }
template <std::floating_point T> TRACEXPR_HD inline T log2(T x) { return std::log2(x); }
template <std::floating_point T> TRACEXPR_HD inline T log10(T x) { return std::log10(x); }
template <std::floating_point T> TRACEXPR_HD inline T log1p(T x) { return std::log1p(x); }

template <std::floating_point T> TRACEXPR_HD inline T sin(T x) { return std::sin(x); }
template <std::floating_point T> TRACEXPR_HD inline T cos(T x) { return std::cos(x); }
template <std::floating_point T> TRACEXPR_HD inline T tan(T x) { return std::tan(x); }
template <std::floating_point T> TRACEXPR_HD inline T asin(T x) { return std::asin(x); }
template <std::floating_point T> TRACEXPR_HD inline T acos(T x) { return std::acos(x); }
template <std::floating_point T> TRACEXPR_HD inline T atan(T x) { return std::atan(x); }
template <std::floating_point T> TRACEXPR_HD inline T atan2(T y, T x) { return std::atan2(y, x); }

template <std::floating_point T> TRACEXPR_HD inline T sinh(T x) { return std::sinh(x); }
template <std::floating_point T> TRACEXPR_HD inline T cosh(T x) { return std::cosh(x); }
template <std::floating_point T> TRACEXPR_HD inline T tanh(T x) { return std::tanh(x); }
template <std::floating_point T> TRACEXPR_HD inline T asinh(T x) { return std::asinh(x); }
template <std::floating_point T> TRACEXPR_HD inline T acosh(T x) { return std::acosh(x); }
template <std::floating_point T> TRACEXPR_HD inline T atanh(T x) { return std::atanh(x); }

template <std::floating_point T> TRACEXPR_HD inline T erf(T x) { return std::erf(x); }
template <std::floating_point T> TRACEXPR_HD inline T erfc(T x) { return std::erfc(x); }
// log |gamma(x)|, for float from double: lgammaf loses up to four units. glibc's lgamma writes a global sign, which is a data
// race; the reentrant variant does not.
template <std::floating_point T> TRACEXPR_HD inline T lgamma(T x) {
#if defined(__GLIBC__) && !defined(__CUDA_ARCH__)
    int sign = 0;
    return static_cast<T>(::lgamma_r(static_cast<double>(x), &sign));
#else
    return static_cast<T>(std::lgamma(static_cast<double>(x)));
#endif
}
template <std::floating_point T> TRACEXPR_HD inline T polygamma(T n, T x) {
    return static_cast<T>(special::polygamma(static_cast<double>(n), static_cast<double>(x)));
}
// 1 / (1 + exp(-x)), without the overflow that would flush small results to zero.
template <std::floating_point T> TRACEXPR_HD inline T sigmoid(T x) {
    T const small = std::exp(-std::fabs(x));
    return (x < 0 ? small : T(1)) / (T(1) + small);
}

template <std::floating_point T> TRACEXPR_HD inline T pow(T x, T y) { return std::pow(x, y); }
template <std::floating_point T> TRACEXPR_HD inline T cbrt(T x) { return std::cbrt(x); }
template <std::floating_point T> TRACEXPR_HD inline T rsqrt(T x) { return T(1) / std::sqrt(x); }
template <std::floating_point T> TRACEXPR_HD inline T hypot(T x, T y) { return std::hypot(x, y); }
template <std::floating_point T> TRACEXPR_HD inline T copysign(T x, T y) { return std::copysign(x, y); }
template <std::floating_point T> TRACEXPR_HD inline T fmod(T x, T y) { return std::fmod(x, y); }

// log(exp(x) + exp(y)) without overflow; equal infinities give themselves.
template <std::floating_point T> TRACEXPR_HD inline T logaddexp(T x, T y) {
    if (x == y) return x + T(0.693147180559945309417232121458176568L);
    T const difference = x - y;
    if (difference > 0) return x + std::log1p(std::exp(-difference));
    if (difference <= 0) return y + std::log1p(std::exp(difference));
    return difference; // NaN
}
// x - floor(x / y) * y: the result has the sign of y.
template <std::floating_point T> TRACEXPR_HD inline T remainder(T x, T y) {
    T const rest = std::fmod(x, y);
    if (rest == 0) return std::copysign(T(0), y);
    return (rest < 0) != (y < 0) ? rest + y : rest;
}
// floor(x / y), exact even where the division rounds up to an integer.
template <std::floating_point T> TRACEXPR_HD inline T floor_divide(T x, T y) {
    if (y == 0) return x / y;
    T const rest = std::fmod(x, y);
    T quotient = (x - rest) / y;
    if (rest != 0 && (rest < 0) != (y < 0)) quotient -= T(1);
    if (quotient == 0) return std::copysign(T(0), x / y);
    T const whole = std::floor(quotient);
    return quotient - whole > T(0.5) ? whole + T(1) : whole;
}

} // namespace tx::inline TRACEXPR_TARGET::simd::math
