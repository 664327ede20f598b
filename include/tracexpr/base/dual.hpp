// This file has the functions of <cmath> on dual numbers, which argument-dependent lookup finds. The derivatives are those of
// Abramowitz and Stegun, Handbook of Mathematical Functions, chapters 4 to 7; the conventions at kinks are those of tx::grad.
#pragma once

#include <tracexpr/base/dual_number.hpp>
#include <tracexpr/base/polygamma.hpp>

#include <cmath>
#include <complex>

namespace tx {

namespace detail {
template <class T> inline constexpr bool is_complex_number = false;
template <class T> inline constexpr bool is_complex_number<std::complex<T>> = true;
template <class T> inline constexpr bool is_complex_number<dual<T>> = is_complex_number<T>;

// This gives the dual type in which two numbers are computed together.
template <class A, class B> struct meeting {};
template <class T> struct meeting<dual<T>, dual<T>> {
    using type = dual<T>;
};
template <class T, class B> requires lifts_to<B, T> struct meeting<dual<T>, B> {
    using type = dual<T>;
};
template <class A, class T> requires lifts_to<A, T> struct meeting<A, dual<T>> {
    using type = dual<T>;
};
template <class A, class B> using met = typename meeting<A, B>::type;

template <class T> TRACEXPR_HD constexpr T number(double x) {
    if constexpr (is_dual_number<T>) return T(number<typename T::value_type>(x));
    else if constexpr (is_complex_number<T>) return T(static_cast<typename T::value_type>(x));
    else return static_cast<T>(x);
}
} // namespace detail

template <class T> [[nodiscard]] TRACEXPR_HD dual<T> sqrt(dual<T> const& x) {
    using std::sqrt;
    T const y = sqrt(x.value);
    return {y, x.tangent * detail::number<T>(0.5) / y};
}
template <class T> [[nodiscard]] TRACEXPR_HD dual<T> cbrt(dual<T> const& x) {
    using std::cbrt;
    T const y = cbrt(x.value);
    return {y, x.tangent / (T(3) * y * y)};
}
template <class T> [[nodiscard]] TRACEXPR_HD dual<T> exp(dual<T> const& x) {
    using std::exp;
    T const y = exp(x.value);
    return {y, x.tangent * y};
}
template <class T> [[nodiscard]] TRACEXPR_HD dual<T> exp2(dual<T> const& x) {
    using std::exp2;
    T const y = exp2(x.value);
    return {y, x.tangent * (detail::number<T>(0.69314718055994530942) * y)};
}
template <class T> [[nodiscard]] TRACEXPR_HD dual<T> expm1(dual<T> const& x) {
    using std::exp, std::expm1;
    return {expm1(x.value), x.tangent * exp(x.value)};
}
template <class T> [[nodiscard]] TRACEXPR_HD dual<T> log(dual<T> const& x) {
    using std::log;
    return {log(x.value), x.tangent / x.value};
}
template <class T> [[nodiscard]] TRACEXPR_HD dual<T> log2(dual<T> const& x) {
    using std::log2;
    return {log2(x.value), x.tangent / (detail::number<T>(0.69314718055994530942) * x.value)};
}
template <class T> [[nodiscard]] TRACEXPR_HD dual<T> log10(dual<T> const& x) {
    using std::log10;
    return {log10(x.value), x.tangent / (detail::number<T>(2.3025850929940456840) * x.value)};
}
template <class T> [[nodiscard]] TRACEXPR_HD dual<T> log1p(dual<T> const& x) {
    using std::log1p;
    return {log1p(x.value), x.tangent / (T(1) + x.value)};
}

template <class T> [[nodiscard]] TRACEXPR_HD dual<T> sin(dual<T> const& x) {
    using std::cos, std::sin;
    return {sin(x.value), x.tangent * cos(x.value)};
}
template <class T> [[nodiscard]] TRACEXPR_HD dual<T> cos(dual<T> const& x) {
    using std::cos, std::sin;
    return {cos(x.value), -x.tangent * sin(x.value)};
}
template <class T> [[nodiscard]] TRACEXPR_HD dual<T> tan(dual<T> const& x) {
    using std::tan;
    T const y = tan(x.value);
    return {y, x.tangent * (T(1) + y * y)};
}
template <class T> [[nodiscard]] TRACEXPR_HD dual<T> asin(dual<T> const& x) {
    using std::asin, std::sqrt;
    return {asin(x.value), x.tangent / sqrt((T(1) - x.value) * (T(1) + x.value))};
}
template <class T> [[nodiscard]] TRACEXPR_HD dual<T> acos(dual<T> const& x) {
    using std::acos, std::sqrt;
    return {acos(x.value), -x.tangent / sqrt((T(1) - x.value) * (T(1) + x.value))};
}
template <class T> [[nodiscard]] TRACEXPR_HD dual<T> atan(dual<T> const& x) {
    using std::atan;
    return {atan(x.value), x.tangent / (T(1) + x.value * x.value)};
}
template <class T> [[nodiscard]] TRACEXPR_HD dual<T> sinh(dual<T> const& x) {
    using std::cosh, std::sinh;
    return {sinh(x.value), x.tangent * cosh(x.value)};
}
template <class T> [[nodiscard]] TRACEXPR_HD dual<T> cosh(dual<T> const& x) {
    using std::cosh, std::sinh;
    return {cosh(x.value), x.tangent * sinh(x.value)};
}
template <class T> [[nodiscard]] TRACEXPR_HD dual<T> tanh(dual<T> const& x) {
    using std::tanh;
    T const y = tanh(x.value);
    return {y, x.tangent * ((T(1) - y) * (T(1) + y))};
}
template <class T> [[nodiscard]] TRACEXPR_HD dual<T> asinh(dual<T> const& x) {
    using std::asinh, std::sqrt;
    return {asinh(x.value), x.tangent / sqrt(T(1) + x.value * x.value)};
}
template <class T> [[nodiscard]] TRACEXPR_HD dual<T> acosh(dual<T> const& x) {
    using std::acosh, std::sqrt;
    return {acosh(x.value), x.tangent / (sqrt(x.value - T(1)) * sqrt(x.value + T(1)))};
}
template <class T> [[nodiscard]] TRACEXPR_HD dual<T> atanh(dual<T> const& x) {
    using std::atanh;
    return {atanh(x.value), x.tangent / ((T(1) - x.value) * (T(1) + x.value))};
}

template <class T> [[nodiscard]] TRACEXPR_HD dual<T> erf(dual<T> const& x) {
    using std::erf, std::exp;
    return {erf(x.value), x.tangent * (detail::number<T>(1.1283791670955125739) * exp(-x.value * x.value))};
}
template <class T> [[nodiscard]] TRACEXPR_HD dual<T> erfc(dual<T> const& x) {
    using std::erfc, std::exp;
    return {erfc(x.value), -x.tangent * (detail::number<T>(1.1283791670955125739) * exp(-x.value * x.value))};
}
// Gives the n-th derivative of digamma.
template <class T> [[nodiscard]] TRACEXPR_HD T polygamma(int n, T const& x) requires(std::is_floating_point_v<T>) {
    return static_cast<T>(special::polygamma(static_cast<double>(n), static_cast<double>(x)));
}
template <class T> [[nodiscard]] TRACEXPR_HD dual<T> polygamma(int n, dual<T> const& x) {
    return {polygamma(n, x.value), x.tangent * polygamma(n + 1, x.value)};
}
template <class T> [[nodiscard]] TRACEXPR_HD dual<T> lgamma(dual<T> const& x) {
    using std::lgamma;
    return {lgamma(x.value), x.tangent * polygamma(0, x.value)};
}
// Computes the gamma function.
template <class T> [[nodiscard]] TRACEXPR_HD dual<T> tgamma(dual<T> const& x) {
    using std::tgamma;
    T const y = tgamma(x.value);
    return {y, x.tangent * (y * polygamma(0, x.value))};
}

// Computes base to the power exponent; one of the arguments may be a plain number.
template <class A, class B, class D = detail::met<A, B>> TRACEXPR_HD D pow(A const& base, B const& exponent) {
    using std::log, std::pow;
    using T = typename D::value_type;
    D const a(base), b(exponent);
    T const y = pow(a.value, b.value);
    T const by_base = b.value == T(0) ? T(0) : b.value * pow(a.value, b.value - T(1));
    // As in tx::grad, 0 to the power b is constant around any positive b, and the NaN for negative a has no slope either.
    T by_exponent(0);
    if constexpr (detail::is_complex_number<T>) by_exponent = a.value == T(0) ? T(0) : y * log(a.value);
    else by_exponent = a.value > T(0) ? y * log(a.value) : T(0);
    return {y, a.tangent * by_base + b.tangent * by_exponent};
}
template <class A, class B, class D = detail::met<A, B>> TRACEXPR_HD D atan2(A const& sine, B const& cosine) {
    using std::atan2, std::hypot;
    using T = typename D::value_type;
    D const y(sine), x(cosine);
    T const size = hypot(y.value, x.value); // It divides twice by this, as its square may overflow.
    return {atan2(y.value, x.value), (y.tangent * (x.value / size) - x.tangent * (y.value / size)) / size};
}
template <class A, class B, class D = detail::met<A, B>> TRACEXPR_HD D hypot(A const& first, B const& second) {
    using std::hypot;
    using T = typename D::value_type;
    D const a(first), b(second);
    T const y = hypot(a.value, b.value);
    return y == T(0) ? D{y, T(0)} : D{y, a.tangent * (a.value / y) + b.tangent * (b.value / y)};
}
template <class A, class B, class C, class D = detail::met<detail::met<A, B>, C>>
TRACEXPR_HD D hypot(A const& a, B const& b, C const& c) {
    return hypot(hypot(a, b), c);
}
template <class T>
[[nodiscard]] TRACEXPR_HD dual<T> fma(dual<T> const& a, std::type_identity_t<dual<T>> const& b,
                                      std::type_identity_t<dual<T>> const& c) {
    using std::fma;
    return {fma(a.value, b.value, c.value), a.tangent * b.value + a.value * b.tangent + c.tangent};
}

namespace detail {
// Gives the remainder `rest` of a after a whole number of b was subtracted, with its tangent.
template <class D, class T> TRACEXPR_HD D remainder_of(D const& a, D const& b, T const& rest) {
    auto const times = std::nearbyint(primal((a.value - rest) / b.value));
    return {rest, times == 0 ? a.tangent : a.tangent - T(times) * b.tangent};
}
} // namespace detail
template <class A, class B, class D = detail::met<A, B>> TRACEXPR_HD D fmod(A const& dividend, B const& divisor) {
    using std::fmod;
    D const a(dividend), b(divisor);
    return detail::remainder_of(a, b, fmod(a.value, b.value));
}
template <class A, class B, class D = detail::met<A, B>> TRACEXPR_HD D remainder(A const& dividend, B const& divisor) {
    using std::remainder;
    D const a(dividend), b(divisor);
    return detail::remainder_of(a, b, remainder(a.value, b.value));
}

// Computes |x|; the derivative is 0 at 0.
template <class T> requires(!detail::is_complex_number<T>) [[nodiscard]] TRACEXPR_HD dual<T> abs(dual<T> const& x) {
    using std::fabs;
    T const y = fabs(x.value);
    return {y, x.value > T(0) ? x.tangent : x.value < T(0) ? -x.tangent : x.tangent * T(0)};
}
// Computes |x|; the derivative is 0 at 0.
template <class T> [[nodiscard]] TRACEXPR_HD dual<T> fabs(dual<T> const& x) { return abs(x); }
template <class A, class B, class D = detail::met<A, B>> TRACEXPR_HD D copysign(A const& size, B const& sign) {
    using std::copysign;
    using T = typename D::value_type;
    D const a(size), b(sign);
    bool const flips = signbit(a) != signbit(b);
    return {copysign(a.value, b.value), a.value == T(0) ? a.tangent * T(0) : flips ? -a.tangent : a.tangent};
}
// Gives the larger one, or the first if they are equal; a NaN loses.
template <class A, class B, class D = detail::met<A, B>> TRACEXPR_HD D fmax(A const& first, B const& second) {
    D const a(first), b(second);
    return b > a || a != a ? b : a;
}
template <class A, class B, class D = detail::met<A, B>> TRACEXPR_HD D fmin(A const& first, B const& second) {
    D const a(first), b(second);
    return b < a || a != a ? b : a;
}
// Gives x - y, or 0 where that is negative.
template <class A, class B, class D = detail::met<A, B>> TRACEXPR_HD D fdim(A const& first, B const& second) {
    D const a(first), b(second);
    return a <= b ? D(0) : a - b;
}

// Rounds x down to a whole number; the tangent is 0.
template <class T> [[nodiscard]] TRACEXPR_HD dual<T> floor(dual<T> const& x) {
    using std::floor;
    return dual<T>(floor(x.value));
}
template <class T> [[nodiscard]] TRACEXPR_HD dual<T> ceil(dual<T> const& x) {
    using std::ceil;
    return dual<T>(ceil(x.value));
}
template <class T> [[nodiscard]] TRACEXPR_HD dual<T> trunc(dual<T> const& x) {
    using std::trunc;
    return dual<T>(trunc(x.value));
}
template <class T> [[nodiscard]] TRACEXPR_HD dual<T> round(dual<T> const& x) {
    using std::round;
    return dual<T>(round(x.value));
}
// Rounds x as std::nearbyint does; the tangent is 0.
template <class T> [[nodiscard]] TRACEXPR_HD dual<T> nearbyint(dual<T> const& x) {
    using std::nearbyint;
    return dual<T>(nearbyint(x.value));
}
// Rounds x as std::rint does; the tangent is 0.
template <class T> [[nodiscard]] TRACEXPR_HD dual<T> rint(dual<T> const& x) {
    using std::rint;
    return dual<T>(rint(x.value));
}
// Rounds the value as std::lround does.
template <class T> [[nodiscard]] long lround(dual<T> const& x) { return std::lround(primal(x)); }
// Rounds the value as std::llround does.
template <class T> [[nodiscard]] long long llround(dual<T> const& x) { return std::llround(primal(x)); }
// Rounds the value as std::lrint does.
template <class T> [[nodiscard]] long lrint(dual<T> const& x) { return std::lrint(primal(x)); }
// Rounds the value as std::llrint does.
template <class T> [[nodiscard]] long long llrint(dual<T> const& x) { return std::llrint(primal(x)); }

// Multiplies x by a power of 2, exactly.
template <class T> [[nodiscard]] TRACEXPR_HD dual<T> ldexp(dual<T> const& x, int exponent) {
    using std::ldexp;
    return {ldexp(x.value, exponent), ldexp(x.tangent, exponent)};
}
// Multiplies x by a power of 2.
template <class T> [[nodiscard]] TRACEXPR_HD dual<T> scalbn(dual<T> const& x, int exponent) { return ldexp(x, exponent); }
// Gives x as a fraction of [1/2, 1) times a power of 2.
template <class T> TRACEXPR_HD dual<T> frexp(dual<T> const& x, int* exponent) {
    std::frexp(primal(x), exponent);
    return ldexp(x, -*exponent);
}
// Gives the exponent of the value as std::ilogb does.
template <class T> [[nodiscard]] TRACEXPR_HD int ilogb(dual<T> const& x) { return std::ilogb(primal(x)); }
// Gives the exponent of the value as a number; the tangent is 0.
template <class T> [[nodiscard]] TRACEXPR_HD dual<T> logb(dual<T> const& x) {
    using std::logb;
    return dual<T>(logb(x.value));
}
// Gives the part behind the point, which has the tangent, and writes the part before it to *whole.
template <class T> TRACEXPR_HD dual<T> modf(dual<T> const& x, dual<T>* whole) {
    *whole = trunc(x);
    return copysign(isinf(x) ? dual<T>(T(0), x.tangent) : x - *whole, x);
}
// Gives the next value towards y, with the tangent of x.
template <class A, class B, class D = detail::met<A, B>> TRACEXPR_HD D nextafter(A const& from, B const& to) {
    using std::nextafter;
    D const a(from), b(to);
    return {nextafter(a.value, b.value), a.tangent};
}

// Tells whether the value is NaN.
template <class T> [[nodiscard]] TRACEXPR_HD bool isnan(dual<T> const& x) { return std::isnan(primal(x)); }
template <class T> [[nodiscard]] TRACEXPR_HD bool isinf(dual<T> const& x) { return std::isinf(primal(x)); }
template <class T> [[nodiscard]] TRACEXPR_HD bool isfinite(dual<T> const& x) { return std::isfinite(primal(x)); }
// Tells whether the value is neither 0, subnormal, infinite nor NaN.
template <class T> [[nodiscard]] TRACEXPR_HD bool isnormal(dual<T> const& x) { return std::isnormal(primal(x)); }
// Tells whether the sign of the value is negative.
template <class T> [[nodiscard]] TRACEXPR_HD bool signbit(dual<T> const& x) { return std::signbit(primal(x)); }

// Gives the real part of a complex dual number.
template <class T>
[[nodiscard]] TRACEXPR_HD dual<T> real(dual<std::complex<T>> const& z) { return {z.value.real(), z.tangent.real()}; }
template <class T>
[[nodiscard]] TRACEXPR_HD dual<T> imag(dual<std::complex<T>> const& z) { return {z.value.imag(), z.tangent.imag()}; }
template <class T> [[nodiscard]] TRACEXPR_HD dual<std::complex<T>> conj(dual<std::complex<T>> const& z) {
    return {std::conj(z.value), std::conj(z.tangent)};
}
template <class T> [[nodiscard]] TRACEXPR_HD dual<T> abs(dual<std::complex<T>> const& z) { return hypot(real(z), imag(z)); }
// Gives the angle of a complex number, from -pi to pi.
template <class T> [[nodiscard]] TRACEXPR_HD dual<T> arg(dual<std::complex<T>> const& z) { return atan2(imag(z), real(z)); }
template <class T>
[[nodiscard]] TRACEXPR_HD dual<T> norm(dual<std::complex<T>> const& z) { return real(z) * real(z) + imag(z) * imag(z); }

} // namespace tx
