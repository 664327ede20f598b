// This file computes functions of complex numbers, as batches of real and imaginary parts, from functions of real numbers. In
// lanes where an infinity, NaN, zero or the ends of the range need care, and in no others, the real part of the result is NaN:
// the caller computes these lanes one by one.
#pragma once

#include <tracexpr/backends/math/hyperbolic.hpp>
#include <tracexpr/backends/math/trig.hpp>

namespace tx::inline TRACEXPR_TARGET::simd::math {

template <class T, class Arch> struct complex_batch {
    xsimd::batch<T, Arch> re, im;
};

namespace detail {

template <class T, class Arch>
TRACEXPR_INLINE complex_batch<T, Arch> where_plain(xsimd::batch_bool<T, Arch> const& plain, complex_batch<T, Arch> const& z) {
    return {xsimd::select(plain, z.re, xsimd::batch<T, Arch>(quiet_nan<T>)), z.im};
}
// Neither the squares of the parts nor their rounding errors overflow or underflow.
template <class T, class Arch> TRACEXPR_INLINE xsimd::batch_bool<T, Arch> has_square(complex_batch<T, Arch> const& z) {
    using batch = xsimd::batch<T, Arch>;
    constexpr bool single = sizeof(T) == sizeof(float);
    batch const a = xsimd::abs(z.re), b = xsimd::abs(z.im), most(T(single ? 0x1p60 : 0x1p500)),
                least(T(single ? 0x1p-40 : 0x1p-400));
    return (a < most) & (b < most) & ((a > least) | (b > least));
}
template <class T> inline constexpr T largest_exponent = sizeof(T) == sizeof(float) ? T(88) : T(709);

} // namespace detail

// e^x (cos y + i sin y)
template <class T, class Arch> TRACEXPR_INLINE complex_batch<T, Arch> exp(complex_batch<T, Arch> const& z) {
    auto const size = math::exp(z.re);
    auto const [sine, cosine] = math::sin_cos(z.im);
    return detail::where_plain(z.re < xsimd::batch<T, Arch>(detail::largest_exponent<T>),
                               complex_batch<T, Arch>{size * cosine, size * sine});
}
// ln(x^2 + y^2) / 2, where the sum is computed in two parts, since near 1 its first part cancels; and the angle.
template <class T, class Arch> TRACEXPR_INLINE complex_batch<T, Arch> log(complex_batch<T, Arch> const& z) {
    using batch = xsimd::batch<T, Arch>;
    auto const plain = detail::has_square(z);
    batch const x = xsimd::select(plain, z.re, batch(1)), y = xsimd::select(plain, z.im, batch(1));
    auto const p = exact_product(x, x), q = exact_product(y, y);
    auto const high = exact_sum(p.high, q.high), low = exact_sum(p.low, q.low), middle = exact_sum(high.low, low.high);
    auto const sum = exact_sum(high.high, middle.high);
    batch const twice = detail::log_of_sum(double_batch<T, Arch>{sum.high, sum.low + (middle.low + low.low)}, batch(0));
    return detail::where_plain(plain, complex_batch<T, Arch>{batch(T(0.5)) * twice, math::atan2(z.im, z.re)});
}
template <class T, class Arch> TRACEXPR_INLINE complex_batch<T, Arch> log10(complex_batch<T, Arch> const& z) {
    xsimd::batch<T, Arch> const scale(T(0.434294481903251827651128918916605082L));
    auto const natural = math::log(z);
    return {natural.re * scale, natural.im * scale};
}
// With t = sqrt((|x| + |z|) / 2) the root is t + i y / (2 t), or with both parts exchanged where x < 0 (Kahan, "Branch cuts for
// complex elementary functions", 1987).
template <class T, class Arch> TRACEXPR_INLINE complex_batch<T, Arch> sqrt(complex_batch<T, Arch> const& z) {
    using batch = xsimd::batch<T, Arch>;
    batch const a = xsimd::abs(z.re), b = xsimd::abs(z.im), half(T(0.5));
    batch const t = prim::sqrt(half * (a + prim::sqrt(prim::fma(a, a, b * b)))), other = prim::quotient(half * b, t);
    auto const left = z.re < batch(0);
    return detail::where_plain(
        detail::has_square(z),
        complex_batch<T, Arch>{xsimd::select(left, other, t), prim::with_sign_of(xsimd::select(left, t, other), z.im)});
}

template <class T, class Arch> TRACEXPR_INLINE complex_batch<T, Arch> sinh(complex_batch<T, Arch> const& z) {
    auto const [sine, cosine] = math::sin_cos(z.im);
    return detail::where_plain(xsimd::abs(z.re) < xsimd::batch<T, Arch>(detail::largest_exponent<T>),
                               complex_batch<T, Arch>{math::sinh(z.re) * cosine, math::cosh(z.re) * sine});
}
template <class T, class Arch> TRACEXPR_INLINE complex_batch<T, Arch> cosh(complex_batch<T, Arch> const& z) {
    auto const [sine, cosine] = math::sin_cos(z.im);
    return detail::where_plain(xsimd::abs(z.re) < xsimd::batch<T, Arch>(detail::largest_exponent<T>),
                               complex_batch<T, Arch>{math::cosh(z.re) * cosine, math::sinh(z.re) * sine});
}
// (b s c + i t) / (1 + b s^2) with t = tan y, b = 1 + t^2, s = sinh x, c = cosh x, which avoids the difference in the usual
// quotient (Kahan, "Branch cuts for complex elementary functions", 1987).
template <class T, class Arch> TRACEXPR_INLINE complex_batch<T, Arch> tanh(complex_batch<T, Arch> const& z) {
    using batch = xsimd::batch<T, Arch>;
    batch const t = math::tan(z.im), s = math::sinh(z.re), c = math::cosh(z.re);
    batch const b = prim::fma(t, t, batch(1)), bottom = prim::fma(b * s, s, batch(1));
    return detail::where_plain(xsimd::abs(z.re) < batch(T(sizeof(T) == sizeof(float) ? 20 : 300)),
                               complex_batch<T, Arch>{prim::quotient(b * s * c, bottom), prim::quotient(t, bottom)});
}
// sin z = -i sinh(i z), tan z = -i tanh(i z), and cos z = cosh(i z). The sign bit is flipped, because xsimd's -x of 0 has no
// sign.
namespace detail {
template <class T, class Arch> TRACEXPR_INLINE xsimd::batch<T, Arch> opposite(xsimd::batch<T, Arch> const& x) {
    return x ^ xsimd::batch<T, Arch>(T(-0.0));
}
template <class T, class Arch> TRACEXPR_INLINE complex_batch<T, Arch> times_i(complex_batch<T, Arch> const& z) {
    return {opposite(z.im), z.re};
}
template <class T, class Arch> TRACEXPR_INLINE complex_batch<T, Arch> over_i(complex_batch<T, Arch> const& z) {
    return {z.im, opposite(z.re)};
}
} // namespace detail
template <class T, class Arch> TRACEXPR_INLINE complex_batch<T, Arch> sin(complex_batch<T, Arch> const& z) {
    return detail::over_i(math::sinh(detail::times_i(z)));
}
template <class T, class Arch> TRACEXPR_INLINE complex_batch<T, Arch> cos(complex_batch<T, Arch> const& z) {
    return math::cosh(detail::times_i(z));
}
template <class T, class Arch> TRACEXPR_INLINE complex_batch<T, Arch> tan(complex_batch<T, Arch> const& z) {
    return detail::over_i(math::tanh(detail::times_i(z)));
}
// e^(b ln a); the imaginary part is +0 where b is 0.
template <class T, class Arch>
TRACEXPR_INLINE complex_batch<T, Arch> pow(complex_batch<T, Arch> const& a, complex_batch<T, Arch> const& b) {
    using batch = xsimd::batch<T, Arch>;
    auto const [re, im] = math::log(a);
    auto const power = math::exp(complex_batch<T, Arch>{prim::fms(b.re, re, b.im * im), prim::fma(b.re, im, b.im * re)});
    return {power.re, xsimd::select((b.re == batch(0)) & (b.im == batch(0)), batch(0), power.im)};
}

} // namespace tx::inline TRACEXPR_TARGET::simd::math
