// These are the special functions as users call them. All act elementwise, broadcast, and take tensors and numbers: floating
// dtypes are kept, integers give double. Where nothing is said of poles and of arguments outside the domain, they do what SciPy
// does; docs/special.md tells how exact they are. Derivatives of all orders are the analytic ones.
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

// Computes the inverse of erf on [-1, 1]; it is infinite at the ends and NaN outside.
template <elementwise A> [[nodiscard]] constexpr auto erfinv(A const& x) {
    return detail::special_functions::apply<detail::special_functions::erfinv_fn>(x);
}
// Computes the inverse of erfc on [0, 2]; it is infinite at the ends and NaN outside.
template <elementwise A> [[nodiscard]] constexpr auto erfcinv(A const& x) {
    return detail::special_functions::apply<detail::special_functions::erfcinv_fn>(x);
}
// Computes the distribution function of the standard normal distribution.
template <elementwise A> [[nodiscard]] constexpr auto ndtr(A const& x) {
    return detail::special_functions::apply<detail::special_functions::ndtr_fn>(x);
}
// Computes the logarithm of ndtr, even where ndtr itself underflows.
template <elementwise A> [[nodiscard]] constexpr auto log_ndtr(A const& x) {
    return detail::special_functions::apply<detail::special_functions::log_ndtr_fn>(x);
}
// Computes the inverse of ndtr on [0, 1]; it is infinite at the ends and NaN outside.
template <elementwise A> [[nodiscard]] constexpr auto ndtri(A const& x) {
    return detail::special_functions::apply<detail::special_functions::ndtri_fn>(x);
}
// Computes the gamma function; it is NaN at negative integers, and infinite at 0 with the sign of the 0.
template <elementwise A> [[nodiscard]] constexpr auto gamma(A const& x) {
    return detail::special_functions::apply<detail::special_functions::gamma_fn>(x);
}
// Computes the modified Bessel function of the first kind of order 0.
template <elementwise A> [[nodiscard]] constexpr auto i0(A const& x) {
    return detail::special_functions::apply<detail::special_functions::i0_fn>(x);
}
// Computes i0(x) exp(-|x|).
template <elementwise A> [[nodiscard]] constexpr auto i0e(A const& x) {
    return detail::special_functions::apply<detail::special_functions::i0e_fn>(x);
}
// Computes the modified Bessel function of the first kind of order 1.
template <elementwise A> [[nodiscard]] constexpr auto i1(A const& x) {
    return detail::special_functions::apply<detail::special_functions::i1_fn>(x);
}
// Computes i1(x) exp(-|x|).
template <elementwise A> [[nodiscard]] constexpr auto i1e(A const& x) {
    return detail::special_functions::apply<detail::special_functions::i1e_fn>(x);
}
// Computes the Bessel function of the first kind of order 0; it is 0 at infinity.
template <elementwise A> [[nodiscard]] constexpr auto j0(A const& x) {
    return detail::special_functions::apply<detail::special_functions::j0_fn>(x);
}
// Computes the Bessel function of the first kind of order 1; it is 0 at infinity.
template <elementwise A> [[nodiscard]] constexpr auto j1(A const& x) {
    return detail::special_functions::apply<detail::special_functions::j1_fn>(x);
}
// Computes the Bessel function of the second kind of order 0; it is -infinity at 0, NaN below, and 0 at infinity.
template <elementwise A> [[nodiscard]] constexpr auto y0(A const& x) {
    return detail::special_functions::apply<detail::special_functions::y0_fn>(x);
}
// Computes the Bessel function of the second kind of order 1; it is -infinity at 0, NaN below, and 0 at infinity.
template <elementwise A> [[nodiscard]] constexpr auto y1(A const& x) {
    return detail::special_functions::apply<detail::special_functions::y1_fn>(x);
}
// Computes the modified Bessel function of the second kind of order 0; it is infinite at 0 and NaN below.
template <elementwise A> [[nodiscard]] constexpr auto k0(A const& x) {
    return detail::special_functions::apply<detail::special_functions::k0_fn>(x);
}
// Computes k0(x) exp(x).
template <elementwise A> [[nodiscard]] constexpr auto k0e(A const& x) {
    return detail::special_functions::apply<detail::special_functions::k0e_fn>(x);
}
// Computes the modified Bessel function of the second kind of order 1; it is infinite at 0 and NaN below.
template <elementwise A> [[nodiscard]] constexpr auto k1(A const& x) {
    return detail::special_functions::apply<detail::special_functions::k1_fn>(x);
}
// Computes k1(x) exp(x).
template <elementwise A> [[nodiscard]] constexpr auto k1e(A const& x) {
    return detail::special_functions::apply<detail::special_functions::k1e_fn>(x);
}
// Computes the exponential integral Ei(x), the integral of exp(t) / t from -infinity to x; it is -infinity at 0.
template <elementwise A> [[nodiscard]] constexpr auto expi(A const& x) {
    return detail::special_functions::apply<detail::special_functions::expi_fn>(x);
}
// Computes the exponential integral E_1(x), the integral of exp(-t) / t from x to infinity; it is infinite at 0 and NaN below.
template <elementwise A> [[nodiscard]] constexpr auto exp1(A const& x) {
    return detail::special_functions::apply<detail::special_functions::exp1_fn>(x);
}
// Computes the dilogarithm of 1 - x, as SciPy does: the integral of log(t) / (1 - t) from 1 to x. It is NaN below 0.
template <elementwise A> [[nodiscard]] constexpr auto spence(A const& x) {
    return detail::special_functions::apply<detail::special_functions::spence_fn>(x);
}
// Computes the entropy -x log x; it is 0 at 0 and -infinity below.
template <elementwise A> [[nodiscard]] constexpr auto entr(A const& x) {
    return detail::special_functions::apply<detail::special_functions::entr_fn>(x);
}
// Computes log(x / (1 - x)), the inverse of expit; it is infinite at 0 and 1 and NaN outside.
template <elementwise A> [[nodiscard]] constexpr auto logit(A const& x) {
    return detail::special_functions::apply<detail::special_functions::logit_fn>(x);
}
// Computes the regularized lower incomplete gamma function P(a, x), which grows from 0 to 1. It is NaN where a or x is negative.
template <class A, class B> requires elementwise<A, B> [[nodiscard]] constexpr auto gammainc(A const& a, B const& x) {
    return detail::special_functions::apply<detail::special_functions::gammainc_fn>(a, x);
}
// Computes the regularized upper incomplete gamma function Q(a, x) = 1 - P(a, x), which is exact where it is small.
template <class A, class B> requires elementwise<A, B> [[nodiscard]] constexpr auto gammaincc(A const& a, B const& x) {
    return detail::special_functions::apply<detail::special_functions::gammaincc_fn>(a, x);
}
// Computes gamma(a) gamma(b) / gamma(a + b).
template <class A, class B> requires elementwise<A, B> [[nodiscard]] constexpr auto beta(A const& a, B const& b) {
    return detail::special_functions::apply<detail::special_functions::beta_fn>(a, b);
}
// Computes the logarithm of |beta(a, b)|.
template <class A, class B> requires elementwise<A, B> [[nodiscard]] constexpr auto betaln(A const& a, B const& b) {
    return detail::special_functions::apply<detail::special_functions::betaln_fn>(a, b);
}
// Computes Hurwitz' zeta function, the sum over k >= 0 of (q + k)^-x, for x > 1. It is infinite at x = 1 and at q = 0, -1, ...,
// and NaN for x < 1 and other negative q.
template <class A, class B> requires elementwise<A, B> [[nodiscard]] constexpr auto zeta(A const& x, B const& q) {
    return detail::special_functions::apply<detail::special_functions::zeta_fn>(x, q);
}
// Computes x log y, which is 0 where x is 0 and y isn't NaN; there the derivative with respect to x is 0.
template <class A, class B> requires elementwise<A, B> [[nodiscard]] constexpr auto xlogy(A const& x, B const& y) {
    return detail::special_functions::apply<detail::special_functions::xlogy_fn>(x, y);
}
// Computes x log(1 + y), which is 0 where x is 0 and y isn't NaN; there the derivative with respect to x is 0.
template <class A, class B> requires elementwise<A, B> [[nodiscard]] constexpr auto xlog1py(A const& x, B const& y) {
    return detail::special_functions::apply<detail::special_functions::xlog1py_fn>(x, y);
}
// Computes x log(x / y), an element of the relative entropy. It is 0 where x is 0 and y isn't negative, and infinite where either
// is negative or y is 0.
template <class A, class B> requires elementwise<A, B> [[nodiscard]] constexpr auto rel_entr(A const& x, B const& y) {
    return detail::special_functions::apply<detail::special_functions::rel_entr_fn>(x, y);
}
// Computes the regularized incomplete beta function I_x(a, b), which grows from 0 to 1 with x. It is NaN where a or b is
// negative, or x is outside [0, 1].
template <class A, class B, class X> requires elementwise<A, B, X>
[[nodiscard]] constexpr auto betainc(A const& a, B const& b, X const& x) {
    return detail::special_functions::apply<detail::special_functions::betainc_fn>(a, b, x);
}
// Computes the logarithm of |gamma(x)|, as tx::lgamma does.
template <elementwise A> [[nodiscard]] constexpr auto gammaln(A const& x) { return detail::pointwise<op::lgamma>(x); }
// Computes 1 / (1 + exp(-x)), as tx::sigmoid does.
template <elementwise A> [[nodiscard]] constexpr auto expit(A const& x) { return detail::pointwise<op::sigmoid>(x); }
template <class Unused = void, class... A> constexpr detail::failed betainc(detail::any_argument, A const&...) {
    static_assert(always_false<Unused>, "tx: special::betainc: takes a, b and x: tx::special::betainc(a, b, x)");
    return {};
}

} // namespace TRACEXPR_CALLS

using tx::digamma;
using tx::polygamma;

} // namespace tx::special
