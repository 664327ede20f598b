// This file holds the error functions, log gamma, polygamma and the logistic function.
#pragma once

#include <tracexpr/backends/math/exp_log.hpp>

namespace tx::inline TRACEXPR_TARGET::simd::math {
namespace detail {

template <class T> struct erf_fit;
template <> struct erf_fit<float> {
    static constexpr float one_from = 3.93f;
    // erf(x) / x - 1 in x^2 for |x| <= 1. The error is 2^-29.4.
    static constexpr std::array near{0x1.06eba8p-3f, -0x1.81273ep-2f,  0x1.ce2cecp-4f, -0x1.b7f7f0p-6f,
                                     0x1.53fbd8p-8f, -0x1.a3ac5ep-11f, 0x1.489c72p-14f};
    // ln erfc(x) for 1 <= x <= one_from. The error is 2^-29.8 of erf(x).
    static constexpr std::array far{-0x1.6853d6p-12f, -0x1.20885ap+0f, -0x1.46bccep-1f, -0x1.a6462ap-4f,
                                    0x1.65b276p-6f,   -0x1.82294cp-9f, 0x1.868d60p-13f};
};
template <> struct erf_fit<double> {
    static constexpr double one_from = 5.93;
    static constexpr std::array near{// The error is 2^-56.4.
                                     0x1.06eba8214db69p-3,  -0x1.812746b037a22p-2,  0x1.ce2f21a04554dp-4,  -0x1.b82ce3134166cp-6,
                                     0x1.565bcd29389d7p-8,  -0x1.c02db89c8b9eap-11, 0x1.f9a3a7ef02a4bp-14, -0x1.f4dba2ec5f250p-17,
                                     0x1.ba5876811eb98p-20, -0x1.63060091b5b70p-23, 0x1.10453153f6969p-26, -0x1.b37cb31b35f87p-30,
                                     0x1.24f1be0df9409p-33};
    static constexpr std::array far{
        // The error is 2^-59.5.
        -0x1.821aabeb79df3p-23, -0x1.20dd562764e3dp+0,  -0x1.45f42b9aa3cddp-1,  -0x1.a4da477bf5fefp-4,  0x1.38936597e232ep-6,
        0x1.262e9e58b000ap-12,  -0x1.cfc07dec12852p-10, 0x1.50312b7942235p-11,  -0x1.785bc4ed6940fp-15, -0x1.270a703c5815ap-14,
        0x1.79b71a79447a4p-15,  -0x1.14ffa05eaa404p-16, 0x1.225167da957cfp-18,  -0x1.c889d8c3acecap-21, 0x1.0de0dcee0bd3fp-23,
        -0x1.d41363bfe58e4p-27, 0x1.19daca440ad32p-30,  -0x1.a5b8c6417f2d0p-35, 0x1.2755c7e2e8675p-40};
};

// (1 / v) e^(a^2) erfc(a) as a polynomial in v - middle, where v = 1 / (a + offset), for 0.74 <= a <= zero_from; and d ln(e^(a^2)
// erfc(a)) / d ln v, to within 1%, as a polynomial in v.
template <class T> struct erfc_fit;
template <> struct erfc_fit<float> { // The error is 2^-28.9.
    static constexpr float zero_from = 10.06f, offset = 2, middle = 0x1.c98p-3f;
    static constexpr std::array sensitivity{0x1.dfep-1f, 0x1.76ep+1f};
    static constexpr std::array scaled{0x1.e73290p-1f,  0x1.420c86p+1f, 0x1.10d9ecp+2f, 0x1.6efa12p+1f,  -0x1.1ffe48p+2f,
                                       -0x1.0d23a2p+3f, 0x1.2691e0p+3f, 0x1.6935f2p+4f, -0x1.e0e334p+4f, -0x1.be9370p+5f};
};
template <> struct erfc_fit<double> { // The error is 2^-57.6.
    static constexpr double zero_from = 27.3, offset = 3, middle = 0x1.388p-3;
    static constexpr std::array sensitivity{0x1.05p+0, 0x1.1ecp+1, 0x1.f2ap+3};
    static constexpr std::array scaled{
        0x1.00dfc9624cf18p+0,   0x1.2f6061a033a4fp+2,   0x1.2981d3ba37ef6p+4,   0x1.d605af7e0c788p+5,   0x1.184541edda553p+7,
        0x1.a4044476ff27ep+7,   0x1.56dba88e9c8d4p+4,   -0x1.6c02215edb739p+9,  -0x1.2f043cf41d61ep+10, 0x1.bc8e8fa28b50fp+10,
        0x1.df9fbc610925fp+12,  -0x1.e5c9aea2e7d66p+11, -0x1.5f5c62aec27f9p+15, 0x1.6b708863a00dbp+13,  0x1.1360613a430f2p+18,
        -0x1.be193ea8a8287p+16, -0x1.cca70b424d282p+20, 0x1.6829a90459186p+20,  0x1.7b2a81158dc49p+23,  -0x1.506e241d59203p+23,
        -0x1.cfcf469963644p+25};
};

} // namespace detail

// erf(x), which is 1 - e^(ln erfc|x|) with the sign of x where |x| > 1.
template <class T, class Arch> TRACEXPR_INLINE xsimd::batch<T, Arch> erf(xsimd::batch<T, Arch> const& x) {
    using batch = xsimd::batch<T, Arch>;
    using fit = detail::erf_fit<T>;
    batch const magnitude = batch_min(batch(fit::one_from), xsimd::abs(x));
    auto const [n, r] = detail::reduce_exp(polynomial(magnitude, fit::far));
    batch const rest = prim::scale_normal(prim::fma(r * r, detail::exp_tail(r), r) + batch(1), n);
    batch const near = prim::fma(magnitude, polynomial(magnitude * magnitude, fit::near), magnitude);
    return prim::with_sign_of(xsimd::select(magnitude > batch(1), batch(1) - rest, near), x);
}

namespace detail {

// x e^(-a^2). The exponent n ln 2 - a^2 is computed with the rounding error of a^2 and, if Careful, with its own; its power is 1
// + w.
template <bool Careful, class T, class Arch>
TRACEXPR_INLINE xsimd::batch<T, Arch> times_exp_of_minus_square(xsimd::batch<T, Arch> const& a, double_batch<T, Arch> const& x) {
    using batch = xsimd::batch<T, Arch>;
    auto const [square, square_low] = exact_product(a, a);
    batch const n = prim::round_product(square, batch(log2_of_e<T>));
    batch const start = prim::fms(n, batch(ln2_high<T>), square); // exact
    batch const rest = prim::fms(n, batch(ln2_low<T>), square_low);
    batch const r = start + rest;
    batch const curve = r * r * exp_tail(r);
    batch const w = r + curve;
    batch low = x.low;
    if constexpr (Careful) {
        low = prim::fma(x.high, ((start - r) + rest) + ((r - w) + curve), low);
        low = prim::fma(low, w, low);
    }
    return prim::scale(x.high + prim::fma(x.high, w, low), -n);
}

} // namespace detail

// erfc(x) is 1 - erf(x) for |x| < 3/4. Else it is v p(v - middle) e^(-a^2), with a = |x| and v = 1 / (a + offset), and each
// factor with its rounding error; the error of v is treated as one of a.
template <class T, class Arch> TRACEXPR_INLINE xsimd::batch<T, Arch> erfc(xsimd::batch<T, Arch> const& x) {
    using batch = xsimd::batch<T, Arch>;
    using fit = detail::erfc_fit<T>;
    batch const a = batch_min(batch(fit::zero_from), xsimd::abs(x));
    batch const below = a + batch(fit::offset);
    batch const v = prim::quotient(batch(1), below);
    batch const v_excess = fma_low(v, below, batch(-1), batch(0)) + v * (a - (below - batch(fit::offset)));

    batch const u = v - batch(fit::middle);
    batch const slope = horner<1, 1>(u, fit::scaled);
    batch const p = prim::fma(u, slope, batch(fit::scaled[0]));
    batch const p_low = fma_low(u, slope, batch(fit::scaled[0]), p);
    auto const [front, front_low] = exact_product(v, p);
    batch const correction = prim::fnma(front, v_excess * polynomial(v, fit::sensitivity), prim::fma(v, p_low, front_low));

    batch const result = detail::times_exp_of_minus_square<true>(a, {front, correction});
    batch const far = xsimd::select(x < batch(0), batch(2) - result, result);
    batch const near = prim::fnma(x, polynomial(x * x, detail::erf_fit<T>::near), batch(1) - x);
    return xsimd::select(a < batch(T(0.75)), near, far);
}

template <class T, class Arch> TRACEXPR_INLINE xsimd::batch<T, Arch> lgamma(xsimd::batch<T, Arch> const& x) {
    return per_lane([](T a) { return math::lgamma(a); }, x);
}
template <class T, class Arch>
TRACEXPR_INLINE xsimd::batch<T, Arch> polygamma(xsimd::batch<T, Arch> const& n, xsimd::batch<T, Arch> const& x) {
    return per_lane([](T order, T a) { return math::polygamma(order, a); }, n, x);
}

// 1 / (1 + e^-x), for negative x as e^x / (e^x + 1). The rounding error of the denominator d, and with fused instructions that of
// the quotient q, is corrected; the factor of the correction, 1 / d, is q or 1 - q.
template <class T, class Arch> TRACEXPR_INLINE xsimd::batch<T, Arch> sigmoid(xsimd::batch<T, Arch> const& x) {
    using batch = xsimd::batch<T, Arch>;
    batch const small = math::exp(-xsimd::abs(x));
    batch const below = small + batch(1), below_low = small - (below - batch(1));
    auto const negative = x < batch(0);
    batch const top = xsimd::select(negative, small, batch(1));
    batch const quotient = prim::quotient(top, below);
    batch const inverse = xsimd::select(negative, batch(1) - quotient, quotient);
    batch const rest = has_fma<Arch> ? prim::fnma(quotient, below, top) : batch(0);
    return prim::fma(inverse, prim::fnma(quotient, below_low, rest), quotient);
}

} // namespace tx::inline TRACEXPR_TARGET::simd::math

#include <tracexpr/backends/math/avx512_erf.hpp>
