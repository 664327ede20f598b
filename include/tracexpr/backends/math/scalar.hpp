// This file holds the functions of pointwise ops on single numbers, under the names that the SIMD versions have: of real, complex
// and dual numbers, and of integers. The tail of a loop, the GPU, rare lanes and the reference executor call them. They follow
// NumPy's definitions where <cmath> has none.
#pragma once

#include <tracexpr/base/config.hpp>
#include <tracexpr/base/dual.hpp>
#include <tracexpr/base/integers.hpp>
#include <tracexpr/base/polygamma.hpp>

#include <cmath>
#include <complex>
#include <concepts>

namespace tx::inline TRACEXPR_TARGET::simd::math {

using integers::floor_divide, integers::fmod, integers::remainder, integers::pow;
using std::abs, std::sqrt, std::cbrt, std::exp, std::exp2, std::expm1, std::log, std::log2, std::log10, std::log1p, std::sin,
    std::cos, std::tan, std::asin, std::acos, std::atan, std::sinh, std::cosh, std::tanh, std::asinh, std::acosh, std::atanh,
    std::erf, std::erfc, std::floor, std::ceil, std::nearbyint, std::trunc, std::pow, std::atan2, std::hypot, std::copysign,
    std::fmod, std::fma;
using tx::abs, tx::sqrt, tx::cbrt, tx::exp, tx::exp2, tx::expm1, tx::log, tx::log2, tx::log10, tx::log1p, tx::sin, tx::cos,
    tx::tan, tx::asin, tx::acos, tx::atan, tx::sinh, tx::cosh, tx::tanh, tx::asinh, tx::acosh, tx::atanh, tx::erf, tx::erfc,
    tx::lgamma, tx::pow, tx::atan2, tx::hypot, tx::copysign, tx::fmod, tx::floor, tx::ceil, tx::nearbyint, tx::trunc;

// log |gamma(x)|. For float it is computed in double, as lgammaf loses up to four units in the last place. glibc's lgamma writes
// a global sign, which is a data race; the reentrant variant does not.
TRACEXPR_HD inline double lgamma(double x) {
#if defined(__GLIBC__) && !defined(__CUDA_ARCH__)
    int sign = 0;
    return ::lgamma_r(x, &sign);
#else
    return std::lgamma(x);
#endif
}
TRACEXPR_HD inline float lgamma(float x) { return static_cast<float>(math::lgamma(static_cast<double>(x))); }
template <std::floating_point T> TRACEXPR_HD inline T polygamma(T n, T x) {
    return static_cast<T>(special::polygamma(static_cast<double>(n), static_cast<double>(x)));
}
template <class T> TRACEXPR_HD inline dual<T> polygamma(dual<T> const& n, dual<T> const& x) {
    return tx::polygamma(static_cast<int>(primal(n)), x);
}
template <class T> TRACEXPR_HD inline T rsqrt(T const& x) { return T(1) / math::sqrt(x); }

// 1 / (1 + exp(-x)), without the overflow that would flush small results to zero.
template <std::floating_point T> TRACEXPR_HD inline T sigmoid(T x) {
    T const small = std::exp(-std::fabs(x));
    return (x < 0 ? small : T(1)) / (T(1) + small);
}
template <class T> TRACEXPR_HD inline dual<T> sigmoid(dual<T> const& x) {
    T const y = math::sigmoid(x.value);
    return {y, x.tangent * (y * math::sigmoid(-x.value))};
}

// log(exp(x) + exp(y)) without overflow; equal infinities give that infinity.
template <std::floating_point T> TRACEXPR_HD inline T logaddexp(T x, T y) {
    if (x == y) return x + T(0.693147180559945309417232121458176568L);
    T const difference = x - y;
    if (difference > 0) return x + std::log1p(std::exp(-difference));
    if (difference <= 0) return y + std::log1p(std::exp(difference));
    return difference; // NaN
}
template <class T> TRACEXPR_HD inline dual<T> logaddexp(dual<T> const& x, dual<T> const& y) {
    return {math::logaddexp(x.value, y.value),
            x.tangent * math::sigmoid(x.value - y.value) + y.tangent * math::sigmoid(y.value - x.value)};
}

// x - floor(x / y) * y: the result has the sign of y.
template <std::floating_point T> TRACEXPR_HD inline T remainder(T x, T y) {
    T const rest = std::fmod(x, y);
    if (rest == 0) return std::copysign(T(0), y);
    return (rest < 0) != (y < 0) ? rest + y : rest;
}
template <class T> TRACEXPR_HD inline dual<T> remainder(dual<T> const& x, dual<T> const& y) {
    return tx::detail::remainder_of(x, y, math::remainder(x.value, y.value));
}
// floor(x / y), which is exact even where the division rounds up to an integer.
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
