// This file defines each pointwise op once: apply<op>(x...) of elements of any dtype, and of vectors of them. The reference
// executor applies the ops to double, so that tests compare how exactly a vector computes an op with the same definition. half
// and bfloat16 are computed in float.
#pragma once

#include <tracexpr/backends/math/device_complex.hpp>
#include <tracexpr/backends/math/math.hpp>
#include <tracexpr/backends/pointwise/values.hpp>
#include <tracexpr/base/error.hpp>
#include <tracexpr/graph/op.hpp>

#include <limits>

namespace tx::inline TRACEXPR_TARGET::simd {
namespace detail {

using tx::detail::is_complex_number, tx::detail::is_dual_number;

// Ops that are made of operators, which vectors of any length and dtype have. The functions return nothing for an op that needs
// another function.
TRACEXPR_CALLS_HOST
template <op Code, class T> TRACEXPR_HD TRACEXPR_INLINE auto by_operators(T const& x) {
    TRACEXPR_FUSES
    using number = element_in<T>;
    constexpr bool rounds = Code == op::floor || Code == op::ceil || Code == op::round || Code == op::trunc;
    if constexpr (Code == op::negative) return as<T>(-wrapping(x));
    else if constexpr (Code == op::square) return as<T>(wrapping(x) * wrapping(x));
    else if constexpr (Code == op::reciprocal) return T(1) / x;
    else if constexpr (Code == op::sign && std::is_unsigned_v<number>) return choose(x > T(0), T(1), T(0));
    else if constexpr (Code == op::sign)
        return choose(x > T(0), T(1), choose(x < T(0), as<T>(T(0) - T(1)), as<T>(x + T(0)))); // -0 gives 0
    else if constexpr (Code == op::logical_not || (Code == op::bitwise_not && has_booleans<T>)) return !x;
    else if constexpr (Code == op::bitwise_not) return as<T>(~x);
    else if constexpr (has_integers<T> && rounds) return x;
    else if constexpr (has_integers<T> && Code == op::absolute) {
        if constexpr (std::is_signed_v<number>) return larger(x, as<T>(-wrapping(x)));
        else return x;
    } else if constexpr (Code == op::isnan) return x != x;
    // A complex number is NaN if either part is, and an integer never is.
    else if constexpr (Code == op::isinf || Code == op::isfinite) {
        number const end = std::numeric_limits<number>::infinity();
        if constexpr (is_complex_number<number> && Code == op::isinf)
            return either(by_operators<Code>(x.real()), by_operators<Code>(x.imag()));
        else if constexpr (is_complex_number<number>) return both(by_operators<Code>(x.real()), by_operators<Code>(x.imag()));
        else if constexpr (std::is_integral_v<number>) return Code == op::isinf ? x != x : x == x;
        else if constexpr (Code == op::isinf) return either(x == T(end), x == T(-end));
        else return both(x > T(-end), x < T(end));
    } else if constexpr (Code == op::real) return x.real();
    else if constexpr (Code == op::imag) return x.imag();
    else if constexpr (Code == op::conj) return conjugate(x);
    else if constexpr (Code == op::times_i) return T(-x.imag(), x.real());
}
TRACEXPR_CALLS_HOST
template <op Code, class T> TRACEXPR_HD TRACEXPR_INLINE auto by_operators(T const& a, T const& b) {
    TRACEXPR_FUSES
    constexpr bool is_larger = Code == op::maximum || Code == op::fmax, is_smaller = Code == op::minimum || Code == op::fmin;
    if constexpr (Code == op::equal) return a == b;
    else if constexpr (Code == op::not_equal || Code == op::logical_xor) return a != b;
    else if constexpr (Code == op::less) return a < b;
    else if constexpr (Code == op::less_equal) return a <= b;
    else if constexpr (Code == op::greater) return a > b;
    else if constexpr (Code == op::greater_equal) return a >= b;
    else if constexpr (Code == op::logical_and) return both(a, b);
    else if constexpr (Code == op::logical_or) return either(a, b);
    else if constexpr (has_booleans<T> && (Code == op::add || Code == op::bitwise_or || is_larger)) return either(a, b);
    else if constexpr (has_booleans<T> && (Code == op::multiply || Code == op::bitwise_and || is_smaller)) return both(a, b);
    else if constexpr (has_booleans<T> && Code == op::bitwise_xor) return a != b;
    else if constexpr (Code == op::string_add) return a + b;
    else if constexpr (Code == op::add) return as<T>(wrapping(a) + wrapping(b));
    else if constexpr (Code == op::subtract) return as<T>(wrapping(a) - wrapping(b));
    else if constexpr (Code == op::multiply) return as<T>(wrapping(a) * wrapping(b));
    else if constexpr (Code == op::divide) return a / b;
    else if constexpr (has_integers<T> && is_larger) return larger(a, b);
    else if constexpr (has_integers<T> && is_smaller) return smaller(a, b);
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    else if constexpr (std::is_same_v<T, float> && Code == op::maximum) return larger_or_nan(a, b);
    else if constexpr (std::is_same_v<T, float> && Code == op::minimum) return smaller_or_nan(a, b);
#endif
    else if constexpr (Code == op::maximum) return choose(a != a, a, larger(a, b));
    else if constexpr (Code == op::minimum) return choose(a != a, a, smaller(a, b));
    else if constexpr (Code == op::fmax) return choose(b != b, a, larger(a, b));
    else if constexpr (Code == op::fmin) return choose(b != b, a, smaller(a, b));
    else if constexpr (Code == op::bitwise_and) return as<T>(a & b);
    else if constexpr (Code == op::bitwise_or) return as<T>(a | b);
    else if constexpr (Code == op::bitwise_xor) return as<T>(a ^ b);
}
TRACEXPR_CALLS_HOST
template <op Code, class T> TRACEXPR_HD TRACEXPR_INLINE auto by_operators(T const& a, T const& b, T const& c) {
    TRACEXPR_FUSES
    if constexpr (!std::is_floating_point_v<element_in<T>>) return as<T>(wrapping(a) * wrapping(b) + wrapping(c)); // fma
}

#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 13 // see xsimd_compat.hpp: functions of batches are inlined here
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
template <class T, class A>
TRACEXPR_INLINE auto choose(xsimd::batch_bool<T, A> const& condition, xsimd::batch<T, A> const& a, xsimd::batch<T, A> const& b) {
    return xsimd::select(condition, a, b);
}

// sin(pi x) / (pi x). The sine is that of the distance of x from the nearest whole number, which is exact; near 0 the series also
// has the derivatives that dual numbers need.
TRACEXPR_CALLS_HOST
template <class T> TRACEXPR_HD TRACEXPR_INLINE T sinc(T const& x) {
    constexpr double pi = 3.14159265358979323846,
                     series[]{1 / 6227020800.0, -1 / 39916800.0, 1 / 362880.0, -1 / 5040.0, 1 / 120.0, -1 / 6.0, 1.0};
    auto const whole = math::nearbyint(real_of(x));
    using real = std::remove_const_t<decltype(whole)>;
    real const odd = whole - constant<real>(2) * math::nearbyint(whole * constant<real>(0.5)); // 1 or -1 if odd, 0 if even
    T const angle = constant<T>(pi) * x, square = angle * angle;
    T near_zero(0);
    for (double const c : series) near_zero = near_zero * square + constant<T>(c);
    T const sine = math::sin(constant<T>(pi) * (x - whole)) * (constant<real>(1) - constant<real>(2) * odd * odd);
    return choose(math::abs(x) < constant<real>(0.125), near_zero, sine / angle);
}

// All other ops, by functions that numbers and batches have.
TRACEXPR_CALLS_HOST
template <op Code, class T> TRACEXPR_HD TRACEXPR_INLINE auto by_functions(T const& x) {
    if constexpr (Code == op::absolute) return math::abs(x);
    else if constexpr (Code == op::floor) return math::floor(x);
    else if constexpr (Code == op::ceil) return math::ceil(x);
    else if constexpr (Code == op::round) return math::nearbyint(x);
    else if constexpr (Code == op::trunc) return math::trunc(x);
    else if constexpr (Code == op::sqrt) return math::sqrt(x);
    else if constexpr (Code == op::rsqrt) return math::rsqrt(x);
    else if constexpr (Code == op::cbrt) return math::cbrt(x);
    else if constexpr (Code == op::exp) return math::exp(x);
    else if constexpr (Code == op::exp2) return math::exp2(x);
    else if constexpr (Code == op::expm1) return math::expm1(x);
    else if constexpr (Code == op::log) return math::log(x);
    else if constexpr (Code == op::log2) return math::log2(x);
    else if constexpr (Code == op::log10) return math::log10(x);
    else if constexpr (Code == op::log1p) return math::log1p(x);
    else if constexpr (Code == op::sin) return math::sin(x);
    else if constexpr (Code == op::cos) return math::cos(x);
    else if constexpr (Code == op::tan) return math::tan(x);
    else if constexpr (Code == op::asin) return math::asin(x);
    else if constexpr (Code == op::acos) return math::acos(x);
    else if constexpr (Code == op::atan) return math::atan(x);
    else if constexpr (Code == op::sinh) return math::sinh(x);
    else if constexpr (Code == op::cosh) return math::cosh(x);
    else if constexpr (Code == op::tanh) return math::tanh(x);
    else if constexpr (Code == op::asinh) return math::asinh(x);
    else if constexpr (Code == op::acosh) return math::acosh(x);
    else if constexpr (Code == op::atanh) return math::atanh(x);
    else if constexpr (Code == op::erf) return math::erf(x);
    else if constexpr (Code == op::erfc) return math::erfc(x);
    else if constexpr (Code == op::lgamma) return math::lgamma(x);
    else if constexpr (Code == op::sigmoid) return math::sigmoid(x);
    else if constexpr (Code == op::sinc) return detail::sinc(x);
    else if constexpr (Code == op::population_count) return integers::population_count(x);
    else if constexpr (Code == op::count_leading_zeros) return integers::count_leading_zeros(x);
    else if constexpr (Code == op::count_trailing_zeros) return integers::count_trailing_zeros(x);
    else static_assert(always_false<T>, "tx: a pointwise op without a definition");
}
TRACEXPR_CALLS_HOST
template <op Code, class T> TRACEXPR_HD TRACEXPR_INLINE auto by_functions(T const& a, T const& b) {
    if constexpr (Code == op::floor_divide) return math::floor_divide(a, b);
    else if constexpr (Code == op::remainder) return math::remainder(a, b);
    else if constexpr (Code == op::fmod) return math::fmod(a, b);
    else if constexpr (Code == op::power && is_complex_number<T>) // std::pow would take a logarithm
        return b == T(0) ? T(1) : a == T(0) && b.real() > 0 ? T(0) : math::pow(a, b);
    else if constexpr (Code == op::power) return math::pow(a, b);
    else if constexpr (Code == op::atan2) return math::atan2(a, b);
    else if constexpr (Code == op::hypot) return math::hypot(a, b);
    else if constexpr (Code == op::logaddexp) return math::logaddexp(a, b);
    else if constexpr (Code == op::copysign) return math::copysign(a, b);
    else if constexpr (Code == op::polygamma) return math::polygamma(a, b);
    else if constexpr (Code == op::left_shift) return integers::left_shift(a, b);
    else if constexpr (Code == op::right_shift) return integers::right_shift(a, b);
    else static_assert(always_false<T>, "tx: a pointwise op without a definition");
}
TRACEXPR_CALLS_HOST
template <op Code, class T> TRACEXPR_HD TRACEXPR_INLINE auto by_functions(T const& a, T const& b, T const& c) {
    static_assert(Code == op::fma, "tx: a pointwise op without a definition");
    return math::fma(a, b, c);
}
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 13
#pragma GCC diagnostic pop
#endif

template <op Code, class... T> inline constexpr bool has_operators =
    !std::is_void_v<decltype(by_operators<Code>(std::declval<T const&>()...))>;
} // namespace detail

// Applies the op to elements of one dtype; the result has the dtype that the table of ops says. Comparisons of dual numbers
// compare their values.
TRACEXPR_CALLS_HOST
template <op Code, class T, class... More> TRACEXPR_HD TRACEXPR_INLINE auto apply(T const& x, More const&... more) {
    static_assert((std::is_same_v<T, More> && ...) && info(Code).kind == kind::pointwise);
#if defined(__CUDA_ARCH__)
    if constexpr (detail::is_host_complex<T>)
        return detail::for_host(simd::apply<Code>(detail::for_device(x), detail::for_device(more)...));
    else
#endif
        if constexpr (detail::is_small_float<T>) {
        auto const y = simd::apply<Code>(x.value(), more.value()...);
        if constexpr (std::is_same_v<decltype(y), bool const>) return y;
        else return T(y);
    } else if constexpr (detail::is_dual_number<T> && info(Code).result == result_rule::boolean) {
        return simd::apply<Code>(x.value, more.value...);
    } else if constexpr (detail::is_dual_number<T> && is_locally_constant(Code)) {
        return T(simd::apply<Code>(x.value, more.value...));
    } else if constexpr (detail::has_operators<Code, T, More...>) {
        return detail::by_operators<Code>(x, more...);
    } else {
        return detail::by_functions<Code>(x, more...);
    }
}

} // namespace tx::inline TRACEXPR_TARGET::simd
