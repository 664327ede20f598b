// This file holds trigonometric functions and their inverses.
#pragma once

#include <tracexpr/backends/math/common.hpp>

namespace tx::inline TRACEXPR_TARGET::simd::math {
namespace detail {

// pi/2 in parts, whose products with the multiples in use are exact by a fused multiply-add or because they are short; and the
// largest argument for which they suffice. Lanes with larger arguments are left to <cmath>.
template <class T, bool Fused> struct half_pi;
template <> struct half_pi<float, true> {
    static constexpr float largest = 1e5f;
    static constexpr std::array parts{0x1.921fb6p+0f, -0x1.777a5cp-25f, -0x1.ee59dap-50f};
};
template <> struct half_pi<float, false> {
    static constexpr float largest = 6e3f;
    static constexpr std::array parts{0x1.922p+0f, -0x1.2aep-18f, -0x1.deap-31f, 0x1.184698p-44f};
};
template <> struct half_pi<double, true> {
    static constexpr double largest = 1e8;
    static constexpr std::array parts{0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54, -0x1.f1976b7ed8fbcp-110};
};
template <> struct half_pi<double, false> {
    static constexpr double largest = 6e6;
    static constexpr std::array parts{0x1.921fb544p+0, 0x1.0b4611a8p-34, -0x1.d9cceba4p-66, 0x1.b839a252049c1p-104};
};

// x - n pi/2 as the sum of two numbers (Cody and Waite, 1980). The first difference is exact; the rounding errors of the others
// go to the low part.
template <std::size_t Part, class T, class Arch>
TRACEXPR_INLINE double_batch<T, Arch> take_part(double_batch<T, Arch> const& r, xsimd::batch<T, Arch> const& n) {
    using batch = xsimd::batch<T, Arch>;
    batch const part(half_pi<T, has_fma<Arch>>::parts[Part]);
    auto const [product, product_low] = exact_product(n, part);
    batch const high = r.high - product;
    batch const change = high - r.high; // Knuth's exact difference, as either operand may be the larger
    return {high, (r.low - product_low) + ((r.high - (high - change)) - (product + change))};
}
template <class T, class Arch>
TRACEXPR_INLINE double_batch<T, Arch> minus_half_pis(xsimd::batch<T, Arch> const& x, xsimd::batch<T, Arch> const& n) {
    using batch = xsimd::batch<T, Arch>;
    constexpr auto& parts = half_pi<T, has_fma<Arch>>::parts;
    double_batch<T, Arch> r = take_part<1>(double_batch<T, Arch>{prim::fnma(n, batch(parts[0]), x), batch(0)}, n);
    if constexpr (parts.size() == 4) r = take_part<2>(r, n);
    return {r.high, prim::fnma(n, batch(parts[parts.size() - 1]), r.low)};
}

template <class T, class Arch> TRACEXPR_INLINE xsimd::batch_bool<T, Arch> is_huge_angle(xsimd::batch<T, Arch> const& x) {
    return xsimd::abs(x) > xsimd::batch<T, Arch>(half_pi<T, has_fma<Arch>>::largest);
}

// (sin(r) - r) / r^3 and (cos(r) - 1 + r^2/2) / r^4 in r^2 for |r| <= pi/4. The errors are 2^-27.9 and 2^-33 (float), 2^-57.9 and
// 2^-64 (double).
template <class T> inline constexpr std::array sin_fit{-0x1.555546p-3f, 0x1.110778p-7f, -0x1.9953f8p-13f};
template <class T> inline constexpr std::array cos_fit{0x1.55554ap-5f, -0x1.6c0c2ap-10f, 0x1.99e90ep-16f};
template <> inline constexpr std::array sin_fit<double>{-0x1.5555555555548p-3, 0x1.111111110f759p-7,   -0x1.a01a019bf16f0p-13,
                                                        0x1.71de355e5332dp-19, -0x1.ae5e53dcb002fp-26, 0x1.5d8e0804a4e22p-33};
template <> inline constexpr std::array cos_fit<double>{0x1.555555555554bp-5,   -0x1.6c16c16c15016p-10, 0x1.a01a019c8f3b0p-16,
                                                        -0x1.27e4f7f1969a5p-22, 0x1.1ee9dbc95b7ffp-29,  -0x1.8fa67c708da44p-37};

template <class T, class Arch> struct sine_and_cosine {
    xsimd::batch<T, Arch> sine, cosine;
};
template <class T, class Arch> TRACEXPR_INLINE sine_and_cosine<T, Arch> sin_cos_near(double_batch<T, Arch> const& r) {
    using batch = xsimd::batch<T, Arch>;
    batch const square = r.high * r.high;
    batch const sine = r.high + prim::fma(r.high * square, polynomial(square, sin_fit<T>), r.low);
    batch const half = square * batch(T(0.5));
    batch const top = batch(1) - half;
    batch const lost = prim::fnma(r.high, r.low, (batch(1) - top) - half);
    return {sine, top + prim::fma(square * square, polynomial(square, cos_fit<T>), lost)};
}
// sin(r + n pi/2), with n in the lowest bits of `quadrant`.
template <class T, class Arch> TRACEXPR_INLINE xsimd::batch<T, Arch> in_quadrant(sine_and_cosine<T, Arch> const& of_r,
                                                                                 xsimd::batch<bits_of<T>, Arch> const& quadrant) {
    auto const sign = prim::sign_of(prim::from_bits<T, Arch>(quadrant << (8 * static_cast<int>(sizeof(T)) - 2)));
    return xsimd::select(prim::is_odd<T>(quadrant), of_r.cosine, of_r.sine) ^ sign;
}
template <class T, class Arch> TRACEXPR_INLINE xsimd::batch<T, Arch>
sin_in_quadrant(double_batch<T, Arch> const& r, xsimd::batch<bits_of<T>, Arch> const& quadrant) {
    return in_quadrant(sin_cos_near(r), quadrant);
}

// tan(r) = r + r z N(z) / D(z) with z = r^2, for |r| <= pi/4. The error is 2^-31.3 (float) and 2^-62 (double).
template <class T> struct tan_ratio;
template <> struct tan_ratio<float> {
    static constexpr std::array top{0x1.555556p-2f, -0x1.e47bc6p-7f};
    static constexpr std::array bottom{1.0f, -0x1.c70524p-2f, 0x1.03792ep-6f};
};
template <> struct tan_ratio<double> {
    static constexpr std::array top{0x1.5555555555555p-2, -0x1.5f2ca33beb604p-6, 0x1.00565be93e705p-12, -0x1.3075aa95eae1dp-26};
    static constexpr std::array bottom{1.0, -0x1.db71f834d5bd6p-2, 0x1.9237a9aad53dbp-6, -0x1.0bffd97fb825ep-12};
};

} // namespace detail

template <class T, class Arch> TRACEXPR_INLINE xsimd::batch<T, Arch> sin(xsimd::batch<T, Arch> const& x) {
    using batch = xsimd::batch<T, Arch>;
    batch const n = prim::round_even(x * batch(T(0x1.45f306dc9c883p-1)));
    batch const sine = detail::sin_in_quadrant(detail::minus_half_pis(x, n), prim::integer_bits(n));
    batch const result = xsimd::select(x == batch(0), x, sine); // keeps -0
    if (auto const huge = detail::is_huge_angle(x); xsimd::any(huge)) [[unlikely]]
        return xsimd::select(huge, per_lane([](T a) { return math::sin(a); }, x), result);
    return result;
}

template <class T, class Arch> TRACEXPR_INLINE xsimd::batch<T, Arch> cos(xsimd::batch<T, Arch> const& x) {
    using batch = xsimd::batch<T, Arch>;
    batch const n = prim::round_even(x * batch(T(0x1.45f306dc9c883p-1)));
    batch const result = detail::sin_in_quadrant(detail::minus_half_pis(x, n), prim::integer_bits(n + batch(1)));
    if (auto const huge = detail::is_huge_angle(x); xsimd::any(huge)) [[unlikely]]
        return xsimd::select(huge, per_lane([](T a) { return math::cos(a); }, x), result);
    return result;
}

template <class T, class Arch> TRACEXPR_INLINE detail::sine_and_cosine<T, Arch> sin_cos(xsimd::batch<T, Arch> const& x) {
    using batch = xsimd::batch<T, Arch>;
    batch const n = prim::round_even(x * batch(T(0x1.45f306dc9c883p-1)));
    auto const of_r = detail::sin_cos_near(detail::minus_half_pis(x, n));
    batch const sine = xsimd::select(x == batch(0), x, detail::in_quadrant(of_r, prim::integer_bits(n)));
    batch const cosine = detail::in_quadrant(of_r, prim::integer_bits(n + batch(1)));
    if (auto const huge = detail::is_huge_angle(x); xsimd::any(huge)) [[unlikely]]
        return {xsimd::select(huge, per_lane([](T a) { return math::sin(a); }, x), sine),
                xsimd::select(huge, per_lane([](T a) { return math::cos(a); }, x), cosine)};
    return {sine, cosine};
}

// tan(x) is t = tan(x - n pi/2) for even n, and -1 / t for odd n.
template <class T, class Arch> TRACEXPR_INLINE xsimd::batch<T, Arch> tan(xsimd::batch<T, Arch> const& x) {
    using batch = xsimd::batch<T, Arch>;
    using ratio = detail::tan_ratio<T>;
    batch const n = prim::round_even(x * batch(T(0x1.45f306dc9c883p-1)));
    auto const [r, r_low] = detail::minus_half_pis(x, n);
    batch const square = r * r;
    batch const curve =
        prim::fma(r_low, square, prim::quotient(r * square * polynomial(square, ratio::top), polynomial(square, ratio::bottom))) +
        r_low;
    batch const t = r + curve;
    batch const lost = (r - t) + curve;
    batch const inverse = prim::quotient(batch(-1), t);
    // The division's own error is corrected, too, by inverse * t + 1.
    batch const rest = prim::fma(inverse, lost, fma_low(inverse, t, batch(1), batch(0)));
    batch const tangent = xsimd::select(prim::is_odd<T>(prim::integer_bits(n)), prim::fma(inverse, rest, inverse), t);
    batch const result = xsimd::select(x == batch(0), x, tangent);
    if (auto const huge = detail::is_huge_angle(x); xsimd::any(huge)) [[unlikely]]
        return xsimd::select(huge, per_lane([](T a) { return math::tan(a); }, x), result);
    return result;
}

namespace detail {

// (asin(x) - x) / x^3 in x^2 for |x| <= 1/2. The error is 2^-31.7 (float) and 2^-59.8 (double) of asin(x).
template <class T> inline constexpr std::array asin_fit{0x1.55554cp-3f, 0x1.3338a0p-4f, 0x1.6caa6ap-5f,
                                                        0x1.04b14ap-5f, 0x1.d77826p-7f, 0x1.33dc08p-5f};
template <> inline constexpr std::array asin_fit<double>{
    0x1.5555555555577p-3, 0x1.333333332e122p-4,  0x1.6db6db7213ba1p-5, 0x1.f1c71a9444223p-6, 0x1.6e8bdef7dcfa4p-6,
    0x1.1c49ee7122b57p-6, 0x1.ca1fc119884a9p-7,  0x1.7583b94f03244p-7, 0x1.61478edebd0b1p-7, 0x1.e5433fa6e4b87p-9,
    0x1.63d61d1d2f74fp-6, -0x1.5853c2f30ed9cp-6, 0x1.0b63201f940abp-5};

// pi/4 in two parts; the first part times 1, 2, 3 or 4 is exact.
template <class T> inline constexpr T quarter_pi_high = sizeof(T) == sizeof(float) ? T(0x1.921fbp-1) : T(0x1.921fb54442d18p-1);
template <class T> inline constexpr T quarter_pi_low = sizeof(T) == sizeof(float) ? T(0x1.5110b4p-23) : T(0x1.1a62633145c07p-55);

// asin(root) = root + curve. `root` is |x| for |x| <= 1/2; else x is halved: asin x = pi/2 - 2 asin(root) with root = sqrt((1 -
// x) / 2).
template <class T, class Arch> struct asin_parts {
    xsimd::batch<T, Arch> root, curve; // their sum is asin(root)
    xsimd::batch_bool<T, Arch> halved;
};
template <class T, class Arch> TRACEXPR_INLINE asin_parts<T, Arch> reduce_asin(xsimd::batch<T, Arch> const& x) {
    using batch = xsimd::batch<T, Arch>;
    batch const magnitude = xsimd::abs(x);
    auto const halved = magnitude > batch(T(0.5));
    batch const half_square = prim::fnma(magnitude, batch(T(0.5)), batch(T(0.5)));
    batch const square = xsimd::select(halved, half_square, magnitude * magnitude);
    batch const root = xsimd::select(halved, prim::sqrt(half_square), magnitude);
    return {root, root * square * polynomial(square, asin_fit<T>), halved};
}

} // namespace detail

template <class T, class Arch> TRACEXPR_INLINE xsimd::batch<T, Arch> asin(xsimd::batch<T, Arch> const& x) {
    using batch = xsimd::batch<T, Arch>;
    auto const [root, curve, halved] = detail::reduce_asin(x);
    batch const high(2 * detail::quarter_pi_high<T>), low(2 * detail::quarter_pi_low<T>);
    batch const twice = root + root, rest = high - twice;
    batch const folded = rest + ((((high - rest) - twice) + low) - (curve + curve));
    return prim::with_sign_of(xsimd::select(halved, folded, root + curve), x);
}

// acos(x) = pi/2 - asin(x); for x > 1/2 it is 2 asin(sqrt((1 - x) / 2)), and for x < -1/2 pi less that of -x.
template <class T, class Arch> TRACEXPR_INLINE xsimd::batch<T, Arch> acos(xsimd::batch<T, Arch> const& x) {
    using batch = xsimd::batch<T, Arch>;
    auto const [root, curve, halved] = detail::reduce_asin(x);
    batch const sign = prim::sign_of(x);
    auto const negative = x < batch(0);
    batch const high(2 * detail::quarter_pi_high<T>), low(2 * detail::quarter_pi_low<T>);
    batch const middle = (high - (root ^ sign)) + (low - (curve ^ sign));
    batch const twice_high = xsimd::select(negative, high + high, batch(0));
    batch const twice_low = xsimd::select(negative, low + low, batch(0));
    batch const outer = (twice_high + ((root + root) ^ sign)) + (twice_low + ((curve + curve) ^ sign));
    return xsimd::select(halved, outer, middle);
}

namespace detail {

// (atan(t) - t) / t^3 in t^2 for |t| <= tan(pi/8). The error is 2^-30.4 (float) and 2^-59.4 (double) of atan(t).
template <class T>
inline constexpr std::array atan_fit{-0x1.55554ap-2f, 0x1.9991e2p-3f, -0x1.23b99ep-3f, 0x1.b223d2p-4f, -0x1.f2e198p-5f};
template <> inline constexpr std::array atan_fit<double>{-0x1.555555555553dp-2, 0x1.9999999995858p-3,  -0x1.24924922ac9c4p-3,
                                                         0x1.c71c70e5abc76p-4,  -0x1.745cf8cf4013ep-4, 0x1.3b111817186a0p-4,
                                                         -0x1.10ebabbcd6b28p-4, 0x1.df0e89a36a9afp-5,  -0x1.9ccf2afad9e9bp-5,
                                                         0x1.37cc37c26a381p-5,  -0x1.2555071b7bf43p-6};

// The angle of the point (x, y), with x and y not negative, as a number of eighths of a turn and an angle within pi/8. The
// tangent of the latter is the smaller coordinate over the larger, or their difference over their sum, which is the tangent of
// the angle less pi/4. `reflected` turns an angle a to pi - a.
template <class T, class Arch> TRACEXPR_INLINE xsimd::batch<T, Arch>
angle(xsimd::batch<T, Arch> const& y, xsimd::batch<T, Arch> const& x, xsimd::batch_bool<T, Arch> const& reflected) {
    using batch = xsimd::batch<T, Arch>;
    auto const steep = y > x;
    batch const smaller = xsimd::select(steep, x, y), larger = xsimd::select(steep, y, x);
    auto const middle = smaller > larger * batch(T(0.41421356237309504880));
    auto const difference = exact_sum(smaller, -larger), total = exact_sum(smaller, larger);
    batch const top = xsimd::select(middle, difference.high, smaller);
    batch const sum_or_larger = xsimd::select(middle, total.high, larger);
    batch const bottom = xsimd::select(sum_or_larger == batch(0), batch(1), sum_or_larger);
    batch t = prim::quotient(top, bottom);
    batch const rest = xsimd::select(middle, prim::fnma(t, total.low, difference.low), batch(0));
    // Without fused instructions the division's own error is not corrected: its products may be subnormal, and then not exact.
    batch t_low = prim::quotient(has_fma<Arch> ? prim::fnma(t, bottom, top) + rest : rest, bottom);
    batch eighths = xsimd::select(middle, batch(1), batch(0));
    eighths = xsimd::select(steep, batch(2) - eighths, eighths);
    eighths = xsimd::select(reflected, batch(4) - eighths, eighths);
    auto const one_mirror = exclusive_or(steep, reflected);
    batch const turned = xsimd::select(one_mirror, batch(T(-0.0)), batch(0));
    t = t ^ turned;
    t_low = t_low ^ turned;
    batch const square = t * t;
    batch const curve = prim::fma(t * square, polynomial(square, atan_fit<T>), t_low);
    batch const base = eighths * batch(quarter_pi_high<T>), sum = base + t; // base is 0 or the larger operand
    return sum + (((base - sum) + t) + prim::fma(eighths, batch(quarter_pi_low<T>), curve));
}

} // namespace detail

template <class T, class Arch> TRACEXPR_INLINE xsimd::batch<T, Arch> atan(xsimd::batch<T, Arch> const& x) {
    using batch = xsimd::batch<T, Arch>;
    batch const magnitude =
        batch_min(batch(T(1e30)), xsimd::abs(x)); // atan is pi/2 from there on, and infinity would be divided by itself
    return prim::with_sign_of(detail::angle(magnitude, batch(1), xsimd::batch_bool<T, Arch>(false)), x);
}

template <class T, class Arch>
TRACEXPR_INLINE xsimd::batch<T, Arch> atan2(xsimd::batch<T, Arch> const& y, xsimd::batch<T, Arch> const& x) {
    using batch = xsimd::batch<T, Arch>;
    batch a = xsimd::abs(y), b = xsimd::abs(x);
    // Two infinities are treated as two ones; huge numbers are divided by 4, so that their sum is finite.
    batch const most = batch_max(a, b);
    auto const infinite = most == batch(infinity<T>);
    batch const less = xsimd::select(most > batch(std::numeric_limits<T>::max() / 4), batch(T(0.25)), batch(1));
    a = xsimd::select(infinite, xsimd::select(a == most, batch(1), batch(0)), a * less);
    b = xsimd::select(infinite, xsimd::select(b == most, batch(1), batch(0)), b * less);
    auto const leftward = (prim::sign_of(x) | batch(1)) < batch(0);
    batch const result = prim::with_sign_of(detail::angle(a, b, leftward), y);
    return xsimd::select((x == x) & (y == y), result, x + y);
}

} // namespace tx::inline TRACEXPR_TARGET::simd::math
