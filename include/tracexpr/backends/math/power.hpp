// This file holds powers and roots.
#pragma once

#include <tracexpr/backends/math/exp_log.hpp>
#include <tracexpr/backends/math/rounding.hpp>

namespace tx::inline TRACEXPR_TARGET::simd::math {
namespace detail {

// (atanh(s) / s - 1 - z/3) / z^2 in z = s^2 for |s| <= 1/5. The error is 2^-41.3 (float) and 2^-69 (double) of atanh(s).
template <class T> inline constexpr std::array atanh_fit{0x1.999996p-3f, 0x1.249500p-3f, 0x1.c5bfd0p-4f, 0x1.97ea50p-4f};
template <> inline constexpr std::array atanh_fit<double>{0x1.9999999999968p-3, 0x1.2492492498d5dp-3, 0x1.c71c71bc73748p-4,
                                                          0x1.745d1bc4e9426p-4, 0x1.3b1298998ba6ap-4, 0x1.113a1426016bcp-4,
                                                          0x1.dad0bd7bc60f5p-5, 0x1.017cf62360783p-4};
template <class T> struct two_parts {
    T high, low;
};
template <class T> inline constexpr two_parts<T> third{T(0x1.5555555555555p-2), T(0x1.5555555555555p-56)};
template <> inline constexpr two_parts<float> third<float>{0x1.555556p-2f, -0x1.555556p-27f};
template <class T> inline constexpr two_parts<T> twice_log2_of_e{T(0x1.71547652b82fep+1), T(0x1.777d0ffda0d24p-55)};
template <> inline constexpr two_parts<float> twice_log2_of_e<float>{0x1.715476p+1f, 0x1.4ae0cp-25f};

template <class T, class Arch>
TRACEXPR_INLINE double_batch<T, Arch> times(double_batch<T, Arch> const& a, double_batch<T, Arch> const& b) {
    auto const product = exact_product(a.high, b.high);
    return {product.high, prim::fma(a.high, b.low, prim::fma(a.low, b.high, product.low))};
}
// a + b for |a.high| >= |b.high| or a.high = 0.
template <class T, class Arch>
TRACEXPR_INLINE double_batch<T, Arch> plus(double_batch<T, Arch> const& a, double_batch<T, Arch> const& b) {
    xsimd::batch<T, Arch> const sum = a.high + b.high;
    return {sum, ((a.high - sum) + b.high) + (a.low + b.low)};
}

// log2(2^up x) for positive normal x, to one and a half times the precision of T. With s = (m - 1) / (m + 1), log2 m is 2
// atanh(s) / ln 2 = (2 / ln 2) (s + s w), where w = z/3 + z^2 P(z) and z = s^2.
template <class T, class Arch>
TRACEXPR_INLINE double_batch<T, Arch> precise_log2(xsimd::batch<T, Arch> const& x, xsimd::batch<T, Arch> const& up) {
    using batch = xsimd::batch<T, Arch>;
    using pair = double_batch<T, Arch>;
    auto const [m, k] = prim::split_exponent(x);
    batch const top = m - batch(1), bottom = m + batch(1), bottom_low = m - (bottom - batch(1));
    batch const quotient = prim::quotient(top, bottom);
    batch const rest = prim::fma(quotient, bottom_low, fma_low(quotient, bottom, -top, batch(0)));
    pair const s{quotient, prim::quotient(-rest, bottom)};
    pair const z = times(s, s);
    pair const w = plus(times(z, pair{batch(third<T>.high), batch(third<T>.low)}),
                        pair{z.high * z.high * polynomial(z.high, atanh_fit<T>), batch(0)});
    pair const half_log = plus(s, times(s, w));
    return plus(pair{k + up, batch(0)}, times(half_log, pair{batch(twice_log2_of_e<T>.high), batch(twice_log2_of_e<T>.low)}));
}

// x^y for positive x and finite y; the logarithm is that of 2^up x.
template <class T, class Arch> TRACEXPR_INLINE xsimd::batch<T, Arch>
pow_of_positive(xsimd::batch<T, Arch> const& x, xsimd::batch<T, Arch> const& y, xsimd::batch<T, Arch> const& up) {
    using batch = xsimd::batch<T, Arch>;
    auto const log = precise_log2(x, up);
    // The limit is far beyond underflow and overflow. A y of more than 2^100 gives one of them with any logarithm but 0.
    T const limit(2 * exponent_bias<T> - 100), largest_y(0x1p100);
    auto const exponent = exact_product(has_fma<Arch> ? y : clamp(y, -largest_y, largest_y), log.high);
    batch const high = clamp(exponent.high, -limit, limit);
    batch const n = prim::round_even(high);
    batch const low = xsimd::select(xsimd::abs(exponent.high) < batch(limit), prim::fma(y, log.low, exponent.low), batch(0));
    return exp_of_parts(n, ((high - n) + low) * batch(T(0x1.62e42fefa39efp-1)));
}

// Corrects |x|^y to x^y by the rules of C, in lanes where x is not positive, or x or y is subnormal or not finite.
template <class T, class Arch>
TRACEXPR_NOINLINE xsimd::batch<T, Arch> pow_edges(xsimd::batch<T, Arch> x, xsimd::batch<T, Arch> y, xsimd::batch<T, Arch> power) {
    using batch = xsimd::batch<T, Arch>;
    batch const zero(0), one(1), huge(infinity<T>), magnitude = xsimd::abs(x), abs_y = xsimd::abs(y);
    if constexpr (!prim::splits_any_exponent<Arch>) {
        batch const lifted =
            pow_of_positive(magnitude * batch(static_cast<T>(bits_of<T>(1) << mantissa_bits<T>)), y, batch(T(-mantissa_bits<T>)));
        power = xsimd::select(magnitude < batch(std::numeric_limits<T>::min()), lifted, power);
    }
    // From 2^mantissa_bits on every number is an integer, and from twice that on an even one.
    batch const whole = math::trunc(y), half = y * batch(T(0.5));
    auto const integer = whole == y;
    auto const odd = integer & (math::trunc(half) != half);
    auto const negative = (prim::sign_of(x) | one) < zero;
    auto const grows = exclusive_or(magnitude > one, y < zero); // used where y is infinite, or x is 0 or infinite
    power = xsimd::select((magnitude == zero) | (magnitude == huge) | (abs_y == huge), xsimd::select(grows, huge, zero), power);
    power = xsimd::select(negative & odd, power | batch(T(-0.0)), power);
    power = xsimd::select(negative & (!integer) & (magnitude != zero) & (magnitude != huge), batch(quiet_nan<T>), power);
    power = xsimd::select(xsimd::isnan(x) | xsimd::isnan(y), x + y, power);
    return xsimd::select((y == zero) | (x == one) | ((magnitude == one) & (abs_y == huge)), one, power);
}

} // namespace detail

template <class T, class Arch>
TRACEXPR_INLINE xsimd::batch<T, Arch> pow(xsimd::batch<T, Arch> const& x, xsimd::batch<T, Arch> const& y) {
    using batch = xsimd::batch<T, Arch>;
    batch const result = detail::pow_of_positive(xsimd::abs(x), y, batch(0));
    auto const plain =
        (x >= batch(std::numeric_limits<T>::min())) & (x < batch(infinity<T>)) & (xsimd::abs(y) < batch(infinity<T>));
    if (!xsimd::all(plain)) [[unlikely]]
        return detail::pow_edges(x, y, result);
    return result;
}

namespace detail {

// The cube root of m in [3/8, 3] as a polynomial. The error is 2^-10.4.
template <class T> inline constexpr std::array<T, 6> cbrt_fit{T(0x1.b0f126p-2), T(0x1.0385fcp+0),  T(-0x1.623a30p-1),
                                                              T(0x1.533e6ep-2), T(-0x1.588298p-4), T(0x1.179744p-7)};

// One step of Halley's iteration for the cube root of m, which triples the correct digits. The root's lower half is cleared
// first, so that its square is exact.
template <class T, class Arch>
TRACEXPR_INLINE xsimd::batch<T, Arch> cbrt_step(xsimd::batch<T, Arch> const& m, xsimd::batch<T, Arch> const& root) {
    xsimd::batch<bits_of<T>, Arch> const upper(~((bits_of<T>(1) << (mantissa_bits<T> / 2 + 1)) - 1));
    xsimd::batch<T, Arch> const y = prim::from_bits<T, Arch>(prim::to_bits(root) & upper);
    xsimd::batch<T, Arch> const square = y * y, cube = square * y;
    return prim::fnma(y, prim::quotient(prim::fms(square, y, m), cube + cube + m), y);
}

} // namespace detail

template <class T, class Arch> TRACEXPR_INLINE xsimd::batch<T, Arch> cbrt(xsimd::batch<T, Arch> const& x) {
    constexpr int lift = sizeof(T) == sizeof(float) ? 24 : 54; // a multiple of 3
    using batch = xsimd::batch<T, Arch>;
    batch const magnitude = xsimd::abs(x);
    auto const tiny = magnitude < batch(std::numeric_limits<T>::min());
    auto const [part, k] =
        prim::split_exponent(xsimd::select(tiny, magnitude * batch(static_cast<T>(bits_of<T>(1) << lift)), magnitude));
    batch const whole = prim::round_even(k * batch(T(1) / T(3)));
    batch const m = prim::scale_normal(part, prim::fnma(whole, batch(3), k));
    batch root = detail::cbrt_step(m, polynomial(m, detail::cbrt_fit<T>));
    if constexpr (sizeof(T) == sizeof(double)) root = detail::cbrt_step(m, root);
    batch const result = prim::scale_normal(root, whole - xsimd::select(tiny, batch(T(lift / 3)), batch(0)));
    return xsimd::select((x != batch(0)) & (magnitude < batch(infinity<T>)), prim::with_sign_of(result, x), x);
}

template <class T, class Arch> TRACEXPR_INLINE xsimd::batch<T, Arch> rsqrt(xsimd::batch<T, Arch> const& x) {
    return prim::quotient(xsimd::batch<T, Arch>(1), prim::sqrt(x));
}

// sqrt(x^2 + y^2). Arguments far from 1 are scaled by a power of two first. The result is infinite if one argument is, even if
// the other is NaN.
template <class T, class Arch>
TRACEXPR_INLINE xsimd::batch<T, Arch> hypot(xsimd::batch<T, Arch> const& x, xsimd::batch<T, Arch> const& y) {
    constexpr bool single = sizeof(T) == sizeof(float);
    using batch = xsimd::batch<T, Arch>;
    batch const a = xsimd::abs(x), b = xsimd::abs(y), most = batch_max(a, b);
    auto const large = most > batch(T(single ? 0x1p62 : 0x1p500)), small = most < batch(T(single ? 0x1p-40 : 0x1p-400));
    batch const down = xsimd::select(large, batch(T(single ? 0x1p-65 : 0x1p-600)),
                                     xsimd::select(small, batch(T(single ? 0x1p100 : 0x1p700)), batch(1)));
    batch const up = xsimd::select(large, batch(T(single ? 0x1p65 : 0x1p600)),
                                   xsimd::select(small, batch(T(single ? 0x1p-100 : 0x1p-700)), batch(1)));
    batch const p = a * down, q = b * down;
    batch const result = prim::sqrt(prim::fma(p, p, q * q)) * up;
    return xsimd::select((a == batch(infinity<T>)) | (b == batch(infinity<T>)), batch(infinity<T>), result);
}

} // namespace tx::inline TRACEXPR_TARGET::simd::math
