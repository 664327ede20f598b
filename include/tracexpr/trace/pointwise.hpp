// This file holds the functions that act element by element, with broadcasting, and the operators. Each records one node of the
// op registry, after its operands have been cast to their common dtype. For C++ numbers alone the named functions compute a
// number at once.
#pragma once

#include <tracexpr/trace/pointwise_nodes.hpp>

namespace tx {

inline namespace TRACEXPR_CALLS {

// -a.
template <elementwise A> [[nodiscard]] constexpr auto negative(A const& a) { return detail::pointwise<op::negative>(a); }
// a|; for complex numbers it is real. The derivative at 0 is 0.
template <elementwise A> [[nodiscard]] constexpr auto abs(A const& a) { return detail::pointwise<op::absolute>(a); }
// -1, 0 or 1; NaN gives NaN.
template <elementwise A> [[nodiscard]] constexpr auto sign(A const& a) { return detail::pointwise<op::sign>(a); }
// a * a.
template <elementwise A> [[nodiscard]] constexpr auto square(A const& a) { return detail::pointwise<op::square>(a); }
// The square root; NaN below 0. Integers give float64.
template <elementwise A> [[nodiscard]] constexpr auto sqrt(A const& a) { return detail::pointwise<op::sqrt>(a); }
// 1 / sqrt(a).
template <elementwise A> [[nodiscard]] constexpr auto rsqrt(A const& a) { return detail::pointwise<op::rsqrt>(a); }
// The cube root; it is defined for negative numbers, too.
template <elementwise A> [[nodiscard]] constexpr auto cbrt(A const& a) { return detail::pointwise<op::cbrt>(a); }
// 1 / a.
template <elementwise A> [[nodiscard]] constexpr auto reciprocal(A const& a) { return detail::pointwise<op::reciprocal>(a); }
// e to the power a.
template <elementwise A> [[nodiscard]] constexpr auto exp(A const& a) { return detail::pointwise<op::exp>(a); }
// 2 to the power a.
template <elementwise A> [[nodiscard]] constexpr auto exp2(A const& a) { return detail::pointwise<op::exp2>(a); }
// exp(a) - 1, without cancellation for small a.
template <elementwise A> [[nodiscard]] constexpr auto expm1(A const& a) { return detail::pointwise<op::expm1>(a); }
// The natural logarithm; it is -infinity at 0, NaN below.
template <elementwise A> [[nodiscard]] constexpr auto log(A const& a) { return detail::pointwise<op::log>(a); }
// The logarithm to base 2.
template <elementwise A> [[nodiscard]] constexpr auto log2(A const& a) { return detail::pointwise<op::log2>(a); }
// The logarithm to base 10.
template <elementwise A> [[nodiscard]] constexpr auto log10(A const& a) { return detail::pointwise<op::log10>(a); }
// log(1 + a), without cancellation for small a.
template <elementwise A> [[nodiscard]] constexpr auto log1p(A const& a) { return detail::pointwise<op::log1p>(a); }
// The sine of an angle in radians.
template <elementwise A> [[nodiscard]] constexpr auto sin(A const& a) { return detail::pointwise<op::sin>(a); }
// The cosine of an angle in radians.
template <elementwise A> [[nodiscard]] constexpr auto cos(A const& a) { return detail::pointwise<op::cos>(a); }
// The tangent of an angle in radians.
template <elementwise A> [[nodiscard]] constexpr auto tan(A const& a) { return detail::pointwise<op::tan>(a); }
// The angle with that sine, from -pi / 2 to pi / 2; NaN where |a| > 1.
template <elementwise A> [[nodiscard]] constexpr auto asin(A const& a) { return detail::pointwise<op::asin>(a); }
// The angle with that cosine, from 0 to pi; NaN where |a| > 1.
template <elementwise A> [[nodiscard]] constexpr auto acos(A const& a) { return detail::pointwise<op::acos>(a); }
// The angle with that tangent, from -pi / 2 to pi / 2.
template <elementwise A> [[nodiscard]] constexpr auto atan(A const& a) { return detail::pointwise<op::atan>(a); }
// The hyperbolic sine.
template <elementwise A> [[nodiscard]] constexpr auto sinh(A const& a) { return detail::pointwise<op::sinh>(a); }
// The hyperbolic cosine.
template <elementwise A> [[nodiscard]] constexpr auto cosh(A const& a) { return detail::pointwise<op::cosh>(a); }
// The hyperbolic tangent.
template <elementwise A> [[nodiscard]] constexpr auto tanh(A const& a) { return detail::pointwise<op::tanh>(a); }
// The inverse of sinh.
template <elementwise A> [[nodiscard]] constexpr auto asinh(A const& a) { return detail::pointwise<op::asinh>(a); }
// The inverse of cosh, from 0 on; NaN below 1.
template <elementwise A> [[nodiscard]] constexpr auto acosh(A const& a) { return detail::pointwise<op::acosh>(a); }
// The inverse of tanh; NaN where |a| > 1.
template <elementwise A> [[nodiscard]] constexpr auto atanh(A const& a) { return detail::pointwise<op::atanh>(a); }
// The error function.
template <elementwise A> [[nodiscard]] constexpr auto erf(A const& a) { return detail::pointwise<op::erf>(a); }
// 1 - erf(a), without cancellation.
template <elementwise A> [[nodiscard]] constexpr auto erfc(A const& a) { return detail::pointwise<op::erfc>(a); }
// The logarithm of |gamma(a)|.
template <elementwise A> [[nodiscard]] constexpr auto lgamma(A const& a) { return detail::pointwise<op::lgamma>(a); }
// The derivative of lgamma.
template <elementwise A> [[nodiscard]] constexpr auto digamma(A const& a) { return detail::pointwise<op::polygamma>(0, a); }
// 1 / (1 + exp(-a)).
template <elementwise A> [[nodiscard]] constexpr auto sigmoid(A const& a) { return detail::pointwise<op::sigmoid>(a); }
// sin(pi x) / (pi x), and 1 at 0.
template <elementwise A> [[nodiscard]] constexpr auto sinc(A const& a) { return detail::pointwise<op::sinc>(a); }
// The greatest integer that is not above a. The derivative is 0, as with all functions that round.
template <elementwise A> [[nodiscard]] constexpr auto floor(A const& a) { return detail::pointwise<op::floor>(a); }
// The least integer that is not below a.
template <elementwise A> [[nodiscard]] constexpr auto ceil(A const& a) { return detail::pointwise<op::ceil>(a); }
// The nearest integer; halves are rounded to even, as in NumPy and IEEE 754's default.
template <elementwise A> [[nodiscard]] constexpr auto round(A const& a) { return detail::pointwise<op::round>(a); }
// The nearest integer between a and 0.
template <elementwise A> [[nodiscard]] constexpr auto trunc(A const& a) { return detail::pointwise<op::trunc>(a); }
// Is it NaN? Gives bool.
template <elementwise A> [[nodiscard]] constexpr auto isnan(A const& a) { return detail::pointwise<op::isnan>(a); }
// Is it infinite? Gives bool.
template <elementwise A> [[nodiscard]] constexpr auto isinf(A const& a) { return detail::pointwise<op::isinf>(a); }
// Is it neither infinite nor NaN? Gives bool.
template <elementwise A> [[nodiscard]] constexpr auto isfinite(A const& a) { return detail::pointwise<op::isfinite>(a); }
// Is it 0? Gives bool; so does !a.
template <elementwise A> [[nodiscard]] constexpr auto logical_not(A const& a) { return detail::pointwise<op::logical_not>(a); }
// a with all bits inverted, for integers and bool; so does ~a.
template <elementwise A> [[nodiscard]] constexpr auto bitwise_not(A const& a) { return detail::pointwise<op::bitwise_not>(a); }

// a + b. Strings are concatenated.
template <class A, class B> requires elementwise<A, B> [[nodiscard]] constexpr auto add(A const& a, B const& b) {
    return detail::pointwise<op::add>(a, b);
}
// a - b.
template <class A, class B> requires elementwise<A, B> [[nodiscard]] constexpr auto subtract(A const& a, B const& b) {
    return detail::pointwise<op::subtract>(a, b);
}
// a * b.
template <class A, class B> requires elementwise<A, B> [[nodiscard]] constexpr auto multiply(A const& a, B const& b) {
    return detail::pointwise<op::multiply>(a, b);
}
// True division: integers give float64.
template <class A, class B> requires elementwise<A, B> [[nodiscard]] constexpr auto divide(A const& a, B const& b) {
    return detail::pointwise<op::divide>(a, b);
}
// The greatest integer that is not above a / b, in the dtype of the operands. Integers divided by 0 give 0.
template <class A, class B> requires elementwise<A, B> [[nodiscard]] constexpr auto floor_divide(A const& a, B const& b) {
    return detail::pointwise<op::floor_divide>(a, b);
}
// a - floor(a / b) * b: it has the sign of b, as Python's %.
template <class A, class B> requires elementwise<A, B> [[nodiscard]] constexpr auto remainder(A const& a, B const& b) {
    return detail::pointwise<op::remainder>(a, b);
}
// C's fmod: the remainder with the sign of a.
template <class A, class B> requires elementwise<A, B> [[nodiscard]] constexpr auto fmod(A const& a, B const& b) {
    return detail::pointwise<op::fmod>(a, b);
}
// a to the power b. For integers it is exact, and rounded towards 0 where b is negative.
template <class A, class B> requires elementwise<A, B> [[nodiscard]] constexpr auto pow(A const& a, B const& b) {
    return detail::pointwise<op::power>(a, b);
}
// The angle of the point (b, a), from -pi to pi.
template <class A, class B> requires elementwise<A, B> [[nodiscard]] constexpr auto atan2(A const& a, B const& b) {
    return detail::pointwise<op::atan2>(a, b);
}
// sqrt(a^2 + b^2), without overflow.
template <class A, class B> requires elementwise<A, B> [[nodiscard]] constexpr auto hypot(A const& a, B const& b) {
    return detail::pointwise<op::hypot>(a, b);
}
// log(exp(a) + exp(b)), without overflow.
template <class A, class B> requires elementwise<A, B> [[nodiscard]] constexpr auto logaddexp(A const& a, B const& b) {
    return detail::pointwise<op::logaddexp>(a, b);
}
// |a| with the sign of b.
template <class A, class B> requires elementwise<A, B> [[nodiscard]] constexpr auto copysign(A const& a, B const& b) {
    return detail::pointwise<op::copysign>(a, b);
}
// The n-th derivative of digamma at a. NaN unless n is 0, 1, 2, ...
template <class N, class A> requires elementwise<N, A> [[nodiscard]] constexpr auto polygamma(N const& n, A const& a) {
    return detail::pointwise<op::polygamma>(n, a);
}
// The larger one; NaN where either is NaN. Where they are equal the first has the derivative.
template <class A, class B> requires elementwise<A, B> [[nodiscard]] constexpr auto maximum(A const& a, B const& b) {
    return detail::pointwise<op::maximum>(a, b);
}
// The smaller one; NaN where either is NaN. Where they are equal the first has the derivative.
template <class A, class B> requires elementwise<A, B> [[nodiscard]] constexpr auto minimum(A const& a, B const& b) {
    return detail::pointwise<op::minimum>(a, b);
}
// The larger one; it is NaN only where both are.
template <class A, class B> requires elementwise<A, B> [[nodiscard]] constexpr auto fmax(A const& a, B const& b) {
    return detail::pointwise<op::fmax>(a, b);
}
// The smaller one; it is NaN only where both are.
template <class A, class B> requires elementwise<A, B> [[nodiscard]] constexpr auto fmin(A const& a, B const& b) {
    return detail::pointwise<op::fmin>(a, b);
}
// Are both other than 0? Gives bool; so does a && b.
template <class A, class B> requires elementwise<A, B> [[nodiscard]] constexpr auto logical_and(A const& a, B const& b) {
    return detail::pointwise<op::logical_and>(a, b);
}
// Is either other than 0? Gives bool; so does a || b.
template <class A, class B> requires elementwise<A, B> [[nodiscard]] constexpr auto logical_or(A const& a, B const& b) {
    return detail::pointwise<op::logical_or>(a, b);
}
// Is exactly one other than 0? Gives bool.
template <class A, class B> requires elementwise<A, B> [[nodiscard]] constexpr auto logical_xor(A const& a, B const& b) {
    return detail::pointwise<op::logical_xor>(a, b);
}

// a + b, tx::add.
template <class A, class B> requires own_operands<A, B> [[nodiscard]] constexpr auto operator+(A const& a, B const& b) {
    return detail::pointwise<op::add>(a, b);
}
// a - b, tx::subtract.
template <class A, class B> requires own_operands<A, B> [[nodiscard]] constexpr auto operator-(A const& a, B const& b) {
    return detail::pointwise<op::subtract>(a, b);
}
// a * b, tx::multiply.
template <class A, class B> requires own_operands<A, B> [[nodiscard]] constexpr auto operator*(A const& a, B const& b) {
    return detail::pointwise<op::multiply>(a, b);
}
// a / b, tx::divide.
template <class A, class B> requires own_operands<A, B> [[nodiscard]] constexpr auto operator/(A const& a, B const& b) {
    return detail::pointwise<op::divide>(a, b);
}
// a - floor(a / b) * b, tx::remainder.
template <class A, class B> requires own_operands<A, B> [[nodiscard]] constexpr auto operator%(A const& a, B const& b) {
    return detail::pointwise<op::remainder>(a, b);
}
// Where elements are equal: a tensor of bool. As all comparisons it acts element by element; tx::equal(a, b) gives one bool.
template <class A, class B> requires own_operands<A, B> [[nodiscard]] constexpr auto operator==(A const& a, B const& b) {
    return detail::pointwise<op::equal>(a, b);
}
// Where elements differ: a tensor of bool.
template <class A, class B> requires own_operands<A, B> [[nodiscard]] constexpr auto operator!=(A const& a, B const& b) {
    return detail::pointwise<op::not_equal>(a, b);
}
// Where a is less than b: a tensor of bool. Strings are compared, complex numbers are not.
template <class A, class B> requires own_operands<A, B> [[nodiscard]] constexpr auto operator<(A const& a, B const& b) {
    return detail::pointwise<op::less>(a, b);
}
// Where a is not greater than b: a tensor of bool.
template <class A, class B> requires own_operands<A, B> [[nodiscard]] constexpr auto operator<=(A const& a, B const& b) {
    return detail::pointwise<op::less_equal>(a, b);
}
// Where a is greater than b: a tensor of bool.
template <class A, class B> requires own_operands<A, B> [[nodiscard]] constexpr auto operator>(A const& a, B const& b) {
    return detail::pointwise<op::greater>(a, b);
}
// Where a is not less than b: a tensor of bool.
template <class A, class B> requires own_operands<A, B> [[nodiscard]] constexpr auto operator>=(A const& a, B const& b) {
    return detail::pointwise<op::greater_equal>(a, b);
}
// a && b element by element, tx::logical_and. Both sides are computed.
template <class A, class B> requires own_operands<A, B> [[nodiscard]] constexpr auto operator&&(A const& a, B const& b) {
    return detail::pointwise<op::logical_and>(a, b);
}
// a || b element by element, tx::logical_or. Both sides are computed.
template <class A, class B> requires own_operands<A, B> [[nodiscard]] constexpr auto operator||(A const& a, B const& b) {
    return detail::pointwise<op::logical_or>(a, b);
}
// The bits that both have, for integers and bool.
template <class A, class B> requires own_operands<A, B> [[nodiscard]] constexpr auto operator&(A const& a, B const& b) {
    return detail::pointwise<op::bitwise_and>(a, b);
}
// The bits that either has, for integers and bool.
template <class A, class B> requires own_operands<A, B> [[nodiscard]] constexpr auto operator|(A const& a, B const& b) {
    return detail::pointwise<op::bitwise_or>(a, b);
}
// The bits that exactly one has, for integers and bool.
template <class A, class B> requires own_operands<A, B> [[nodiscard]] constexpr auto operator^(A const& a, B const& b) {
    return detail::pointwise<op::bitwise_xor>(a, b);
}
// a * 2^b for integers, which wraps.
template <class A, class B> requires own_operands<A, B> [[nodiscard]] constexpr auto operator<<(A const& a, B const& b) {
    return detail::pointwise<op::left_shift>(a, b);
}
// a / 2^b for integers, rounded down.
template <class A, class B> requires own_operands<A, B> [[nodiscard]] constexpr auto operator>>(A const& a, B const& b) {
    return detail::pointwise<op::right_shift>(a, b);
}
template <own_operands A> [[nodiscard]] constexpr auto operator-(A const& a) { return detail::pointwise<op::negative>(a); }
template <own_operands A> [[nodiscard]] constexpr auto operator+(A const& a) { return a; }
// Is it 0? tx::logical_not.
template <own_operands A> [[nodiscard]] constexpr auto operator!(A const& a) { return logical_not(a); }
// All bits inverted, tx::bitwise_not.
template <own_operands A> [[nodiscard]] constexpr auto operator~(A const& a) { return bitwise_not(a); }

// condition ? a : b, element by element.
template <class C, class A, class B> requires elementwise<C, A, B>
[[nodiscard]] constexpr auto where(C const& condition, A const& a, B const& b) {
    constexpr bool meet = detail::have_common_dtype<A, B>, fit = detail::can_broadcast<C, A, B>;
    if constexpr (!meet) detail::require_common_dtype<A, B>();
    else if constexpr (detail::has_unfit_extent<detail::common_dtype<A, B>, A, B>)
        detail::require_fitting_extents<detail::common_dtype<A, B>, A, B>();
    else if constexpr (!fit)
        detail::require_broadcast<typename detail::traits<C>::shape_type, typename detail::traits<A>::shape_type,
                                  typename detail::traits<B>::shape_type>();
    return detail::apply_if<(meet && fit)>(detail::where_fn{}, condition, a, b);
}
// a * b + c with one rounding.
template <class A, class B, class C> requires elementwise<A, B, C>
[[nodiscard]] constexpr auto fma(A const& a, B const& b, C const& c) {
    return detail::pointwise<op::fma>(a, b, c);
}
// a converted to another dtype. Floating to integer truncates; to bool means "is not 0".
template <element To, array_operand A> [[nodiscard]] constexpr auto cast(A const& a) {
    return detail::apply(detail::cast_fn<To>{}, a);
}
template <element To, scalar_type A> [[nodiscard]] constexpr auto cast(A const& a) {
    return cast<To>(tensor<canonical<A>, shape<>>(a));
}

} // namespace TRACEXPR_CALLS
} // namespace tx
