// This file holds hyperbolic functions and their inverses.
#pragma once

#include <tracexpr/backends/math/exp_log.hpp>

namespace tx::inline TRACEXPR_TARGET::simd::math {

namespace detail {

// (sinh(x) - x) / x^3 in x^2 for |x| <= 1. The error is 2^-31.6 (float) and 2^-61.7 (double) of sinh(x).
template <class T> inline constexpr std::array sinh_near{0x1.555556p-3f, 0x1.1110e0p-7f, 0x1.a022bcp-13f, 0x1.756c1ep-19f};
template <> inline constexpr std::array sinh_near<double>{0x1.5555555555556p-3,  0x1.1111111111022p-7,  0x1.a01a01a0365a6p-13,
                                                          0x1.71de3a3bdbe6ep-19, 0x1.ae646f2e374c7p-26, 0x1.61174a5879255p-33,
                                                          0x1.b5acc235a2d03p-41};

// e^|x| / 2, which overflows no earlier than sinh x and cosh x.
template <class T, class Arch> TRACEXPR_INLINE xsimd::batch<T, Arch> half_exp_abs(xsimd::batch<T, Arch> const& x) {
    using batch = xsimd::batch<T, Arch>;
    auto const [n, r] = reduce_exp(batch_min(batch(T(sizeof(T) == sizeof(float) ? 90 : 711)), xsimd::abs(x)));
    return exp_of_parts(n - batch(1), r);
}

} // namespace detail

// sinh |x| = e - 1 / (4 e) with e = e^|x| / 2, or its series where |x| <= 1.
template <class T, class Arch> TRACEXPR_INLINE xsimd::batch<T, Arch> sinh(xsimd::batch<T, Arch> const& x) {
    using batch = xsimd::batch<T, Arch>;
    batch const e = detail::half_exp_abs(x);
    batch const square = x * x;
    batch const near = prim::fma(square * x, polynomial(square, detail::sinh_near<T>), x);
    return xsimd::select(xsimd::abs(x) > batch(1), prim::with_sign_of(e - prim::quotient(batch(0.25), e), x), near);
}
template <class T, class Arch> TRACEXPR_INLINE xsimd::batch<T, Arch> cosh(xsimd::batch<T, Arch> const& x) {
    using batch = xsimd::batch<T, Arch>;
    batch const e = detail::half_exp_abs(x);
    return e + prim::quotient(batch(0.25), e);
}

namespace detail {

// tanh(x) = x + x z N(z) / D(z) with z = x^2, for |x| <= 0.63. The error is 2^-27.5 (float) and 2^-60 (double). The coefficients
// are those of N and D.
template <class T> struct tanh_ratio;
template <> struct tanh_ratio<float> {
    static constexpr std::array top{-0x1.555544p-2f, -0x1.93fb9cp-10f};
    static constexpr std::array bottom{1.0f, 0x1.9e523ap-2f};
};
template <> struct tanh_ratio<double> {
    static constexpr std::array top{-0x1.5555555555553p-2, -0x1.4fcf3a9b2f082p-6, -0x1.a176bfc97f4b2p-13};
    static constexpr std::array bottom{1.0, 0x1.d8907496b255fp-2, 0x1.7d8c4eb36ae9bp-6, 0x1.b0df665595dcep-13};
};

} // namespace detail

// tanh |x| = 1 - 2 / (e^(2|x|) + 1), or the ratio above for small x; one division serves both.
template <class T, class Arch> TRACEXPR_INLINE xsimd::batch<T, Arch> tanh(xsimd::batch<T, Arch> const& x) {
    using batch = xsimd::batch<T, Arch>;
    using ratio = detail::tanh_ratio<T>;
    // tanh is 1 in T from there on
    batch const magnitude = batch_min(batch(T(sizeof(T) == sizeof(float) ? 10 : 21)), xsimd::abs(x));
    auto const [n, r] = detail::reduce_exp(magnitude + magnitude);
    batch const power = prim::scale_normal(prim::fma(r * r, detail::exp_tail(r), r) + batch(1), n);
    batch const square = magnitude * magnitude;
    auto const large = magnitude > batch(T(0.625));
    batch const top = xsimd::select(large, batch(-2), magnitude * square * polynomial(square, ratio::top));
    batch const bottom = xsimd::select(large, power + batch(1), polynomial(square, ratio::bottom));
    return prim::with_sign_of(prim::quotient(top, bottom) + xsimd::select(large, batch(1), magnitude), x);
}

namespace detail {

// Above this limit squares overflow, and sqrt(x^2 +- 1) is x.
template <class T> inline constexpr T square_limit = sizeof(T) == sizeof(float) ? T(1e15) : T(1e150);
// Below this limit asinh x and atanh x are x.
template <class T> inline constexpr T odd_limit = sizeof(T) == sizeof(float) ? T(0x1p-13) : T(0x1p-28);

// sqrt(s) in two parts: the root r, and the residue s - r^2 divided by 2 r.
template <class T, class Arch> TRACEXPR_INLINE double_batch<T, Arch> exact_sqrt(double_batch<T, Arch> const& s) {
    using batch = xsimd::batch<T, Arch>;
    batch const root = prim::sqrt(s.high);
    batch const rest = s.low - fma_low(root, root, -s.high, batch(0));
    return {root, prim::quotient(batch(0.5) * rest, batch_max(batch(std::numeric_limits<T>::min()), root))};
}

// ln(x + sqrt(x^2 + shift)) for x >= 0, where shift is 1 or -1.
template <class T, class Arch>
TRACEXPR_INLINE xsimd::batch<T, Arch> inverse_of_half_exp(xsimd::batch<T, Arch> const& x, xsimd::batch<T, Arch> const& shift) {
    using batch = xsimd::batch<T, Arch>;
    auto const large = x > batch(square_limit<T>);
    batch const limited = xsimd::select(large, batch(2), x);
    auto const square = exact_product(limited, limited);
    auto const shifted = exact_sum(square.high, shift);
    auto const root = exact_sqrt(exact_sum(shifted.high, shifted.low + square.low));
    auto const sum = exact_sum(limited, root.high);
    double_batch<T, Arch> const argument{xsimd::select(large, x, sum.high), xsimd::select(large, batch(0), sum.low + root.low)};
    batch const result = log_of_sum(argument, xsimd::select(large, batch(1), batch(0)));
    return xsimd::select(x < batch(infinity<T>), result, x);
}

} // namespace detail

template <class T, class Arch> TRACEXPR_INLINE xsimd::batch<T, Arch> asinh(xsimd::batch<T, Arch> const& x) {
    using batch = xsimd::batch<T, Arch>;
    batch const magnitude = xsimd::abs(x);
    batch const result = prim::with_sign_of(detail::inverse_of_half_exp(magnitude, batch(1)), x);
    return xsimd::select(magnitude < batch(detail::odd_limit<T>), x, result);
}

template <class T, class Arch> TRACEXPR_INLINE xsimd::batch<T, Arch> acosh(xsimd::batch<T, Arch> const& x) {
    using batch = xsimd::batch<T, Arch>;
    return xsimd::select(x >= batch(1), detail::inverse_of_half_exp(x, batch(-1)), batch(quiet_nan<T>));
}

// ln((1 + |x|) / (1 - |x|)) / 2.
template <class T, class Arch> TRACEXPR_INLINE xsimd::batch<T, Arch> atanh(xsimd::batch<T, Arch> const& x) {
    using batch = xsimd::batch<T, Arch>;
    batch const magnitude = xsimd::abs(x);
    batch const top = batch(1) + magnitude;
    batch const bottom = batch(1) - magnitude, bottom_low = (batch(1) - bottom) - magnitude;
    batch const quotient = prim::quotient(top, bottom);
    batch const rest =
        ((batch(1) - top) + magnitude) - prim::fma(quotient, bottom_low, fma_low(quotient, bottom, -top, batch(0)));
    batch const result = batch(0.5) * detail::log_of_sum(double_batch<T, Arch>{quotient, prim::quotient(rest, bottom)}, batch(0));
    batch const edge = xsimd::select(magnitude == batch(1), batch(infinity<T>), batch(quiet_nan<T>));
    batch const signed_result = prim::with_sign_of(xsimd::select(magnitude < batch(1), result, edge), x);
    return xsimd::select(magnitude < batch(detail::odd_limit<T>), x, signed_result);
}

} // namespace tx::inline TRACEXPR_TARGET::simd::math

#include <tracexpr/backends/math/avx512_tanh.hpp>
