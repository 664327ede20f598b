// This file holds exponentials and logarithms. Polynomials are minimax fits by weighted least squares with Lawson's reweighting
// (Lawson, 1961), whose coefficients are rounded one after the other from the lowest; each comment states the error of the
// function value.
#pragma once

#include <tracexpr/backends/math/common.hpp>

namespace tx::inline TRACEXPR_TARGET::simd::math {
namespace detail {

// ln 2 in two parts; the product of the first part with any exponent is exact.
template <class T> inline constexpr T ln2_high = sizeof(T) == sizeof(float) ? T(0x1.62e4p-1) : T(0x1.62e42feep-1);
template <class T> inline constexpr T ln2_low = sizeof(T) == sizeof(float) ? T(0x1.7f7d1cf79abcap-20) : T(0x1.a39ef35793c76p-33);
template <class T> inline constexpr T log2_of_e = T(0x1.71547652b82fep0);

// (e^r - 1 - r) / r^2 for |r| <= ln(2)/2. The error is 2^-28.2 (float) and 2^-57.9 (double) of e^r.
template <class T>
inline constexpr std::array exp_fit{0x1.fffffcp-2f, 0x1.555492p-3f, 0x1.5558aep-5f, 0x1.123982p-7f, 0x1.6a4f28p-10f};
template <> inline constexpr std::array exp_fit<double>{
    0x1.000000000000ap-1,  0x1.5555555555504p-3,  0x1.55555555506b5p-5,  0x1.111111112559ep-7,  0x1.6c16c184794c9p-10,
    0x1.a01a0136afd68p-13, 0x1.a0199957777d3p-16, 0x1.71df0abc08afep-19, 0x1.28ae04b89b40cp-22, 0x1.ada85635a8aacp-26};
template <class T, class Arch> TRACEXPR_INLINE xsimd::batch<T, Arch> exp_tail(xsimd::batch<T, Arch> const& r) {
    return polynomial(r, exp_fit<T>);
}

// x = n ln 2 + r with an integer n and |r| <= ln(2)/2.
template <class T, class Arch> struct exp_parts {
    xsimd::batch<T, Arch> n, r;
};
template <class T, class Arch> TRACEXPR_INLINE exp_parts<T, Arch> reduce_exp(xsimd::batch<T, Arch> const& x) {
    using batch = xsimd::batch<T, Arch>;
    batch const n = prim::round_product(x, batch(log2_of_e<T>));
    return {n, prim::fnma(n, batch(ln2_low<T>), prim::fnma(n, batch(ln2_high<T>), x))};
}

// Limits x to [low, high]. NaN is kept: x86 minimum and maximum return their second argument then.
template <class T, class Arch> TRACEXPR_INLINE xsimd::batch<T, Arch> clamp(xsimd::batch<T, Arch> const& x, T low, T high) {
    using batch = xsimd::batch<T, Arch>;
    return batch_max(batch(low), batch_min(batch(high), x));
}

// e^r 2^n for reduced arguments.
template <class T, class Arch>
TRACEXPR_INLINE xsimd::batch<T, Arch> exp_of_parts(xsimd::batch<T, Arch> const& n, xsimd::batch<T, Arch> const& r) {
    using batch = xsimd::batch<T, Arch>;
    return prim::scale(prim::fma(r * r, exp_tail(r), r) + batch(1), n);
}

// (e^x - 1) / 2^Halvings, which overflows later than e^x; subnormal results lose their lowest bits.
template <int Halvings, class T, class Arch> TRACEXPR_INLINE xsimd::batch<T, Arch> expm1_part(xsimd::batch<T, Arch> const& x) {
    using batch = xsimd::batch<T, Arch>;
    constexpr T one = T(1) / T(1 << Halvings);
    auto const [n, r] = reduce_exp(x);
    batch const power = prim::pow2(n - batch(T(Halvings)));
    return prim::fma(power, r * r * exp_tail(r), prim::fma(power, r, power - batch(one)));
}

} // namespace detail

template <class T, class Arch> TRACEXPR_INLINE xsimd::batch<T, Arch> exp(xsimd::batch<T, Arch> const& x) {
    constexpr bool single = sizeof(T) == sizeof(float);
    auto const [n, r] = detail::reduce_exp(detail::clamp(x, T(single ? -104 : -746), T(single ? 89 : 710)));
    return detail::exp_of_parts(n, r);
}

template <class T, class Arch> TRACEXPR_INLINE xsimd::batch<T, Arch> exp2(xsimd::batch<T, Arch> const& x) {
    constexpr bool single = sizeof(T) == sizeof(float);
    using batch = xsimd::batch<T, Arch>;
    batch const limited = detail::clamp(x, T(single ? -151 : -1076), T(single ? 129 : 1025));
    batch const n = prim::round_even(limited);
    return detail::exp_of_parts(n, (limited - n) * batch(T(0x1.62e42fefa39efp-1)));
}

template <class T, class Arch> TRACEXPR_INLINE xsimd::batch<T, Arch> expm1(xsimd::batch<T, Arch> const& x) {
    constexpr bool single = sizeof(T) == sizeof(float);
    using batch = xsimd::batch<T, Arch>;
    batch const half = detail::expm1_part<1>(detail::clamp(x, T(single ? -25 : -45), T(single ? 89 : 710)));
    return xsimd::select(xsimd::abs(x) < batch(std::numeric_limits<T>::epsilon() / 4), x, half + half);
}

namespace detail {

// A logarithm to base b: log_b(2) in two parts, of which the first is short enough for exact products with exponents; 1 / ln b in
// two parts; and for float the coefficients of (ln(1 + f) - f) / (f^2 ln b).
template <class T> struct log_base {
    T of_two_high, of_two_low, factor_high, factor_low;
    std::array<T, sizeof(T) == sizeof(float) ? 9 : 0> tail{};
};
template <class T> inline constexpr log_base<T> natural{ln2_high<T>, ln2_low<T>, 1, 0};
template <class T> inline constexpr log_base<T> binary{1, 0, 0x1.71547652b82fep0, 0x1.777d0ffda0d24p-56};
template <class T>
inline constexpr log_base<T> decimal{0x1.34413509f7p-2, 0x1.3fde623e2566bp-43, 0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57};
template <>
inline constexpr log_base<float> natural<float>{ln2_high<float>,
                                                ln2_low<float>,
                                                1,
                                                0,
                                                {-0.5f, 0x1.5555a4p-2f, -0x1.000044p-2f, 0x1.99696ep-3f, -0x1.54eed0p-3f,
                                                 0x1.2885fcp-3f, -0x1.0d9452p-3f, 0x1.aca420p-4f, -0x1.714098p-5f}};
template <>
inline constexpr log_base<float> binary<float>{1,
                                               0,
                                               0x1.715476p0f,
                                               0x1.4ae0cp-26f,
                                               {-0x1.715476p-1f, 0x1.ec710ap-2f, -0x1.7154f6p-2f, 0x1.2754f6p-2f, -0x1.ebdb16p-3f,
                                                0x1.abb296p-3f, -0x1.84d84ap-3f, 0x1.357b3ap-3f, -0x1.0b192ep-4f}};
template <> inline constexpr log_base<float> decimal<float>{0x1.344p-2f,
                                                            0x1.3509f8p-18f,
                                                            0x1.bcb7b2p-2f,
                                                            -0x1.5b235ep-27f,
                                                            {-0x1.bcb7b2p-3f, 0x1.287abep-3f, -0x1.bcb7bep-4f, 0x1.639ab6p-4f,
                                                             -0x1.28297cp-4f, 0x1.01b004p-4f, -0x1.d40e4cp-5f, 0x1.727f50p-5f,
                                                             -0x1.3d4858p-6f}};

// Adds (ln(1 + f) - f) / ln b for f in [-1/4, 1/2] to `start`. For float it is f^2 P(f), and the error is 2^-27.6 of the
// logarithm. For double it is s (f^2/2 + R) - f^2/2 with s = f / (2 + f), where 2 atanh(s) = 2 s + s R(s^2) (fdlibm's e_log.c),
// and the error is 2^-62.6.
template <class Arch> TRACEXPR_INLINE xsimd::batch<float, Arch>
add_log_tail(xsimd::batch<float, Arch> const& start, xsimd::batch<float, Arch> const& f, log_base<float> const& base) {
    return prim::fma(f * f, polynomial(f, base.tail), start);
}
inline constexpr std::array twice_atanh_fit{0x1.555555555554fp-1, 0x1.999999999c15ap-2, 0x1.24924921e7183p-2,
                                            0x1.c71c748ccce22p-3, 0x1.745c4b9d8ae72p-3, 0x1.3b35a6aab5fc7p-3,
                                            0x1.0dcd5c1bd4caep-3, 0x1.1b754ba3b7943p-3};
template <class Arch> TRACEXPR_INLINE xsimd::batch<double, Arch>
add_log_tail(xsimd::batch<double, Arch> const& start, xsimd::batch<double, Arch> const& f, log_base<double> const& base) {
    using batch = xsimd::batch<double, Arch>;
    batch const s = prim::quotient(f, f + batch(2));
    batch const square = s * s;
    batch const half = batch(0.5) * f * f;
    batch const tail = prim::fms(s, prim::fma(square, polynomial(square, twice_atanh_fit), half), half);
    return base.factor_high == 1 ? start + tail : prim::fma(tail, batch(base.factor_high), start);
}

// log_b(2^k (1 + f)).
template <class T, class Arch> TRACEXPR_INLINE xsimd::batch<T, Arch>
log_of_parts(xsimd::batch<T, Arch> const& k, xsimd::batch<T, Arch> const& f, log_base<T> const& base) {
    using batch = xsimd::batch<T, Arch>;
    batch const from_k = base.of_two_low == T(0) ? batch(0) : k * batch(base.of_two_low); // an infinite k times 0 would be NaN
    if (base.factor_high == T(1)) return prim::fma(k, batch(base.of_two_high), add_log_tail(from_k, f, base) + f);
    // k log_b(2) + f / ln b may cancel, so its rounding error is added to the low part.
    batch const start = k * batch(base.of_two_high);
    auto const [product, product_low] = exact_product(f, batch(base.factor_high));
    batch const sum = start + product;
    batch lost = ((start - sum) + product) + product_low;
    if constexpr (prim::splits_any_exponent<Arch>) lost = xsimd::select(xsimd::abs(k) < batch(infinity<T>), lost, batch(0));
    return sum + add_log_tail(prim::fma(f, batch(base.factor_low), from_k + lost), f, base);
}

// Corrects the logarithm, which was computed for positive normal x, in lanes where x is subnormal, 0, negative, infinite or NaN.
template <class T, class Arch>
TRACEXPR_NOINLINE xsimd::batch<T, Arch> log_edges(xsimd::batch<T, Arch> x, xsimd::batch<T, Arch> log_x, log_base<T> base) {
    using batch = xsimd::batch<T, Arch>;
    T const up = static_cast<T>(bits_of<T>(1) << mantissa_bits<T>);
    auto const tiny = x < batch(std::numeric_limits<T>::min());
    auto const [m, k] = prim::split_exponent(x * batch(up));
    log_x = xsimd::select(tiny, log_of_parts(k - batch(T(mantissa_bits<T>)), m - batch(1), base), log_x);
    log_x = xsimd::select(x == batch(0), batch(-infinity<T>), log_x);
    log_x = xsimd::select(x >= batch(0), log_x, batch(quiet_nan<T>));
    return xsimd::select(x == batch(infinity<T>), x, log_x);
}

template <class T, class Arch>
TRACEXPR_INLINE xsimd::batch<T, Arch> log_any(xsimd::batch<T, Arch> const& x, log_base<T> const& base) {
    using batch = xsimd::batch<T, Arch>;
    auto const [m, k] = prim::split_exponent(x);
    batch const result = log_of_parts(k, m - batch(1), base);
    if constexpr (!prim::splits_any_exponent<Arch>)
        if (!xsimd::all((x >= batch(std::numeric_limits<T>::min())) & (x < batch(infinity<T>)))) [[unlikely]]
            return log_edges(x, result, base);
    return result;
}

} // namespace detail

namespace detail {

// The natural logarithm of 2^up x for x = high + low, where high is positive, and normal or infinite.
template <class T, class Arch>
TRACEXPR_INLINE xsimd::batch<T, Arch> log_of_sum(double_batch<T, Arch> const& x, xsimd::batch<T, Arch> const& up) {
    using batch = xsimd::batch<T, Arch>;
    auto const [m, k] = prim::split_exponent(x.high);
    batch const down = prim::pow2(batch_max(-k, batch(T(-exponent_bias<T>)))); // 0 where the low part no longer counts
    return log_of_parts(k + up, prim::fma(x.low, down, m - batch(1)), natural<T>);
}

} // namespace detail

template <class T, class Arch> TRACEXPR_INLINE xsimd::batch<T, Arch> log(xsimd::batch<T, Arch> const& x) {
    return detail::log_any(x, detail::natural<T>);
}
template <class T, class Arch> TRACEXPR_INLINE xsimd::batch<T, Arch> log2(xsimd::batch<T, Arch> const& x) {
    return detail::log_any(x, detail::binary<T>);
}
template <class T, class Arch> TRACEXPR_INLINE xsimd::batch<T, Arch> log10(xsimd::batch<T, Arch> const& x) {
    return detail::log_any(x, detail::decimal<T>);
}

// ln(1 + x) is ln(u) for u = 1 + x rounded, with the rounding error c as a part of f in log(2^k (1 + f)).
template <class T, class Arch> TRACEXPR_INLINE xsimd::batch<T, Arch> log1p(xsimd::batch<T, Arch> const& x) {
    using batch = xsimd::batch<T, Arch>;
    batch const u = x + batch(1);
    auto const [m, k] = prim::split_exponent(u);
    // Above 2^64 the error does not count; the bound keeps infinities out of the power.
    batch const lost = xsimd::select(xsimd::abs(k) < batch(64), (x - (u - batch(1))) * prim::pow2(-k), batch(0));
    batch result = detail::log_of_parts(k, (m - batch(1)) + lost, detail::natural<T>);
    if constexpr (!prim::splits_any_exponent<Arch>)
        if (!xsimd::all((u >= batch(std::numeric_limits<T>::min())) & (u < batch(infinity<T>)))) [[unlikely]]
            result = detail::log_edges(u, result, detail::natural<T>);
    return xsimd::select(x == batch(0), x, result);
}

} // namespace tx::inline TRACEXPR_TARGET::simd::math

#include <tracexpr/backends/math/avx512_exp.hpp>
