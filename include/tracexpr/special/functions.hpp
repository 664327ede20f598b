// Special functions as users call them. All act element by element, broadcast, and take tensors and numbers: floating dtypes
// stay, integers give double. What is not said here of poles and of arguments beyond the domain is as in SciPy; docs/special.md
// tells how exact they are. Derivatives of all orders are the analytic ones.
#pragma once

#include <tracexpr/run/eager.hpp>
#include <tracexpr/special/bessel_i.hpp>
#include <tracexpr/special/bessel_j.hpp>
#include <tracexpr/special/erf_inverse.hpp>
#include <tracexpr/special/incomplete_beta.hpp>
#include <tracexpr/special/incomplete_gamma.hpp>
#include <tracexpr/special/integrals.hpp>
#include <tracexpr/special/simple.hpp>
#include <tracexpr/trace/misused.hpp>

namespace tx::special {

inline namespace TRACEXPR_CALLS {

// The inverse of erf on [-1, 1]: infinite at the ends, NaN beyond.
template <elementwise A> [[nodiscard]] constexpr auto erfinv(A const& x) {
    return detail::special_functions::apply<detail::special_functions::erfinv_fn>(x);
}
// The inverse of erfc on [0, 2]: infinite at the ends, NaN beyond.
template <elementwise A> [[nodiscard]] constexpr auto erfcinv(A const& x) {
    return detail::special_functions::apply<detail::special_functions::erfcinv_fn>(x);
}
// The distribution function of the standard normal distribution.
template <elementwise A> [[nodiscard]] constexpr auto ndtr(A const& x) {
    return detail::special_functions::apply<detail::special_functions::ndtr_fn>(x);
}
// The logarithm of ndtr, also where that is too small for its dtype.
template <elementwise A> [[nodiscard]] constexpr auto log_ndtr(A const& x) {
    return detail::special_functions::apply<detail::special_functions::log_ndtr_fn>(x);
}
// The inverse of ndtr on [0, 1]: infinite at the ends, NaN beyond.
template <elementwise A> [[nodiscard]] constexpr auto ndtri(A const& x) {
    return detail::special_functions::apply<detail::special_functions::ndtri_fn>(x);
}
// The gamma function; NaN at negative integers, infinite at 0 with its sign.
template <elementwise A> [[nodiscard]] constexpr auto gamma(A const& x) {
    return detail::special_functions::apply<detail::special_functions::gamma_fn>(x);
}
// The modified Bessel function of the first kind of order 0.
template <elementwise A> [[nodiscard]] constexpr auto i0(A const& x) {
    return detail::special_functions::apply<detail::special_functions::i0_fn>(x);
}
// i0(x) exp(-|x|).
template <elementwise A> [[nodiscard]] constexpr auto i0e(A const& x) {
    return detail::special_functions::apply<detail::special_functions::i0e_fn>(x);
}
// The modified Bessel function of the first kind of order 1.
template <elementwise A> [[nodiscard]] constexpr auto i1(A const& x) {
    return detail::special_functions::apply<detail::special_functions::i1_fn>(x);
}
// i1(x) exp(-|x|).
template <elementwise A> [[nodiscard]] constexpr auto i1e(A const& x) {
    return detail::special_functions::apply<detail::special_functions::i1e_fn>(x);
}
// The Bessel function of the first kind of order 0; 0 at infinity.
template <elementwise A> [[nodiscard]] constexpr auto j0(A const& x) {
    return detail::special_functions::apply<detail::special_functions::j0_fn>(x);
}
// The Bessel function of the first kind of order 1; 0 at infinity.
template <elementwise A> [[nodiscard]] constexpr auto j1(A const& x) {
    return detail::special_functions::apply<detail::special_functions::j1_fn>(x);
}
// The Bessel function of the second kind of order 0: -infinity at 0, NaN below, 0 at infinity.
template <elementwise A> [[nodiscard]] constexpr auto y0(A const& x) {
    return detail::special_functions::apply<detail::special_functions::y0_fn>(x);
}
// The Bessel function of the second kind of order 1: -infinity at 0, NaN below, 0 at infinity.
template <elementwise A> [[nodiscard]] constexpr auto y1(A const& x) {
    return detail::special_functions::apply<detail::special_functions::y1_fn>(x);
}
// The modified Bessel function of the second kind of order 0: infinite at 0, NaN below.
template <elementwise A> [[nodiscard]] constexpr auto k0(A const& x) {
    return detail::special_functions::apply<detail::special_functions::k0_fn>(x);
}
// k0(x) exp(x).
template <elementwise A> [[nodiscard]] constexpr auto k0e(A const& x) {
    return detail::special_functions::apply<detail::special_functions::k0e_fn>(x);
}
// The modified Bessel function of the second kind of order 1: infinite at 0, NaN below.
template <elementwise A> [[nodiscard]] constexpr auto k1(A const& x) {
    return detail::special_functions::apply<detail::special_functions::k1_fn>(x);
}
// k1(x) exp(x).
template <elementwise A> [[nodiscard]] constexpr auto k1e(A const& x) {
    return detail::special_functions::apply<detail::special_functions::k1e_fn>(x);
}
// The exponential integral Ei(x), the integral of exp(t) / t from -infinity to x: -infinity at 0.
template <elementwise A> [[nodiscard]] constexpr auto expi(A const& x) {
    return detail::special_functions::apply<detail::special_functions::expi_fn>(x);
}
// The exponential integral E_1(x), the integral of exp(-t) / t from x to infinity: infinite at 0, NaN below.
template <elementwise A> [[nodiscard]] constexpr auto exp1(A const& x) {
    return detail::special_functions::apply<detail::special_functions::exp1_fn>(x);
}
// The dilogarithm of 1 - x, as SciPy has it: the integral of log(t) / (1 - t) from 1 to x. NaN below 0.
template <elementwise A> [[nodiscard]] constexpr auto spence(A const& x) {
    return detail::special_functions::apply<detail::special_functions::spence_fn>(x);
}
// The entropy -x log x: 0 at 0, -infinity below.
template <elementwise A> [[nodiscard]] constexpr auto entr(A const& x) {
    return detail::special_functions::apply<detail::special_functions::entr_fn>(x);
}
// log(x / (1 - x)), the inverse of expit: infinite at 0 and 1, NaN beyond.
template <elementwise A> [[nodiscard]] constexpr auto logit(A const& x) {
    return detail::special_functions::apply<detail::special_functions::logit_fn>(x);
}
// The lower incomplete gamma function over gamma(a), P(a, x), which grows from 0 to 1. NaN where either is negative.
template <class A, class B> requires elementwise<A, B> [[nodiscard]] constexpr auto gammainc(A const& a, B const& x) {
    return detail::special_functions::apply<detail::special_functions::gammainc_fn>(a, x);
}
// The upper one, Q(a, x) = 1 - P(a, x), exact where it is small.
template <class A, class B> requires elementwise<A, B> [[nodiscard]] constexpr auto gammaincc(A const& a, B const& x) {
    return detail::special_functions::apply<detail::special_functions::gammaincc_fn>(a, x);
}
// gamma(a) gamma(b) / gamma(a + b).
template <class A, class B> requires elementwise<A, B> [[nodiscard]] constexpr auto beta(A const& a, B const& b) {
    return detail::special_functions::apply<detail::special_functions::beta_fn>(a, b);
}
// The logarithm of |beta(a, b)|.
template <class A, class B> requires elementwise<A, B> [[nodiscard]] constexpr auto betaln(A const& a, B const& b) {
    return detail::special_functions::apply<detail::special_functions::betaln_fn>(a, b);
}
// Hurwitz' zeta function, the sum over k >= 0 of (q + k)^-x, x > 1. Infinite at x = 1 and at q = 0, -1, ...; NaN for x < 1 and
// other negative q.
template <class A, class B> requires elementwise<A, B> [[nodiscard]] constexpr auto zeta(A const& x, B const& q) {
    return detail::special_functions::apply<detail::special_functions::zeta_fn>(x, q);
}
// x log y, and 0 where x is 0 and y isn't NaN; there the derivative with respect to x is 0.
template <class A, class B> requires elementwise<A, B> [[nodiscard]] constexpr auto xlogy(A const& x, B const& y) {
    return detail::special_functions::apply<detail::special_functions::xlogy_fn>(x, y);
}
// x log(1 + y), and 0 where x is 0 and y isn't NaN; there the derivative with respect to x is 0.
template <class A, class B> requires elementwise<A, B> [[nodiscard]] constexpr auto xlog1py(A const& x, B const& y) {
    return detail::special_functions::apply<detail::special_functions::xlog1py_fn>(x, y);
}
// x log(x / y), an element of the relative entropy: 0 where x is 0 and y isn't negative, infinite where either is negative or y
// is 0.
template <class A, class B> requires elementwise<A, B> [[nodiscard]] constexpr auto rel_entr(A const& x, B const& y) {
    return detail::special_functions::apply<detail::special_functions::rel_entr_fn>(x, y);
}
// The regularized incomplete beta function I_x(a, b), which grows from 0 to 1 with x. NaN where a or b is negative, or x outside
// [0, 1].
template <class A, class B, class X> requires elementwise<A, B, X>
[[nodiscard]] constexpr auto betainc(A const& a, B const& b, X const& x) {
    return detail::special_functions::apply<detail::special_functions::betainc_fn>(a, b, x);
}
// The logarithm of |gamma(x)|: tx::lgamma.
template <elementwise A> [[nodiscard]] constexpr auto gammaln(A const& x) { return detail::pointwise<op::lgamma>(x); }
// 1 / (1 + exp(-x)): tx::sigmoid.
template <elementwise A> [[nodiscard]] constexpr auto expit(A const& x) { return detail::pointwise<op::sigmoid>(x); }
template <class Unused = void, class... A> constexpr detail::failed betainc(detail::any_argument, A const&...) {
    static_assert(always_false<Unused>, "tx: special::betainc: takes a, b and x: tx::special::betainc(a, b, x)");
    return {};
}

} // namespace TRACEXPR_CALLS

using tx::digamma;
using tx::polygamma;

} // namespace tx::special
