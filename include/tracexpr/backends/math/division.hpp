// This file holds functions of two arguments around division and sign, and the logarithm of a sum of exponentials.
#pragma once

#include <tracexpr/backends/math/exp_log.hpp>
#include <tracexpr/backends/math/rounding.hpp>

namespace tx::inline TRACEXPR_TARGET::simd::math {

template <class T, class Arch>
TRACEXPR_INLINE xsimd::batch<T, Arch> copysign(xsimd::batch<T, Arch> const& x, xsimd::batch<T, Arch> const& y) {
    return prim::with_sign_of(xsimd::abs(x), y);
}

// x - trunc(x / y) y, exactly. If the quotient fits the mantissa, the remainder is a number of T, even though the quotient may
// have been rounded up to the next integer. Other arguments, and those whose product has no two parts without FMA, are left to
// <cmath>, which divides in steps.
template <class T, class Arch>
TRACEXPR_INLINE xsimd::batch<T, Arch> fmod(xsimd::batch<T, Arch> const& x, xsimd::batch<T, Arch> const& y) {
    using batch = xsimd::batch<T, Arch>;
    batch const a = xsimd::abs(x), b = xsimd::abs(y), quotient = prim::quotient(a, b);
    constexpr T beyond = has_fma<Arch> ? infinity<T> : static_cast<T>(sizeof(T) == 4 ? 0x1p127 : 0x1p1023);
    auto const plain = (quotient < batch(static_cast<T>(bits_of<T>(1) << mantissa_bits<T>))) & (b < batch(beyond));
    if (!xsimd::all(plain)) [[unlikely]]
        return per_lane([](T p, T q) { return math::fmod(p, q); }, x, y);
    batch const excess = fma_low(math::trunc(quotient), b, -a, batch(0));
    return prim::with_sign_of(xsimd::abs(xsimd::select(excess > batch(0), b - excess, excess)), x);
}

// x - floor(x / y) y, NumPy's %: the result has the sign of y.
template <class T, class Arch>
TRACEXPR_INLINE xsimd::batch<T, Arch> remainder(xsimd::batch<T, Arch> const& x, xsimd::batch<T, Arch> const& y) {
    using batch = xsimd::batch<T, Arch>;
    batch const rest = math::fmod(x, y);
    auto const other_side = exclusive_or(rest < batch(0), y < batch(0));
    return xsimd::select(rest == batch(0), prim::sign_of(y), xsimd::select(other_side, rest + y, rest));
}

// floor(x / y), NumPy's //: it is computed from the exact remainder, since the quotient may be rounded up to an integer.
template <class T, class Arch>
TRACEXPR_INLINE xsimd::batch<T, Arch> floor_divide(xsimd::batch<T, Arch> const& x, xsimd::batch<T, Arch> const& y) {
    using batch = xsimd::batch<T, Arch>;
    batch const zero(0), one(1), plain = prim::quotient(x, y), rest = math::fmod(x, y);
    auto const other_side = (rest != zero) & exclusive_or(rest < zero, y < zero);
    batch const quotient = prim::quotient(x - rest, y) - xsimd::select(other_side, one, zero);
    batch const whole = math::floor(quotient);
    batch const nearest = xsimd::select(quotient - whole > batch(T(0.5)), whole + one, whole);
    return xsimd::select(y == zero, plain, xsimd::select(quotient == zero, prim::sign_of(plain), nearest));
}

// ln(e^x + e^y) = max + ln(1 + e^-|x - y|). Equal arguments, and so infinite ones, are handled without the difference.
template <class T, class Arch>
TRACEXPR_INLINE xsimd::batch<T, Arch> logaddexp(xsimd::batch<T, Arch> const& x, xsimd::batch<T, Arch> const& y) {
    using batch = xsimd::batch<T, Arch>;
    batch const difference = x - y;
    batch const most = xsimd::select(difference > batch(0), x, y);
    batch const sum = most + math::log1p(math::exp(-xsimd::abs(difference)));
    return xsimd::select(x == y, x + batch(T(0.693147180559945309417232121458176568L)), sum);
}

} // namespace tx::inline TRACEXPR_TARGET::simd::math
