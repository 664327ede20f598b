// This file has this family's distributions with a key of the program's sequence for each draw, in the forms of
// run/random/stateful.hpp.
#pragma once

#include <tracexpr/distributions/stateless.hpp>
#include <tracexpr/trace/misused.hpp>

namespace tx::random {
inline namespace TRACEXPR_CALLS {

// Draws numbers of Laplace's distribution; see stateless_laplace.
template <element T = float, shape_type Shape, class... A> constexpr auto laplace(Shape shape, A const&... a) {
    return stateless_laplace<T>(detail::fresh_key(a...), shape, a...);
}
template <element T, shape_type Shape, class... A> constexpr auto laplace(A const&... a) {
    return stateless_laplace<T>(detail::fresh_key(a...), Shape{}, a...);
}
// Draws numbers of Cauchy's distribution, with location 0 and scale 1 or those given; see stateless_cauchy.
template <element T = float, shape_type Shape, class... A> constexpr auto cauchy(Shape shape, A const&... a) {
    return stateless_cauchy<T>(detail::fresh_key(a...), shape, a...);
}
template <element T, shape_type Shape, class... A> constexpr auto cauchy(A const&... a) {
    return stateless_cauchy<T>(detail::fresh_key(a...), Shape{}, a...);
}
// Draws numbers of the logistic distribution; see stateless_logistic.
template <element T = float, shape_type Shape, class... A> constexpr auto logistic(Shape shape, A const&... a) {
    return stateless_logistic<T>(detail::fresh_key(a...), shape, a...);
}
template <element T, shape_type Shape, class... A> constexpr auto logistic(A const&... a) {
    return stateless_logistic<T>(detail::fresh_key(a...), Shape{}, a...);
}
// Draws numbers of Gumbel's distribution; see stateless_gumbel.
template <element T = float, shape_type Shape, class... A> constexpr auto gumbel(Shape shape, A const&... a) {
    return stateless_gumbel<T>(detail::fresh_key(a...), shape, a...);
}
template <element T, shape_type Shape, class... A> constexpr auto gumbel(A const&... a) {
    return stateless_gumbel<T>(detail::fresh_key(a...), Shape{}, a...);
}
// Draws numbers of Weibull's distribution, with a scale and a concentration; see stateless_weibull.
template <element T = float, shape_type Shape, class... A> constexpr auto weibull(Shape shape, A const&... a) {
    return stateless_weibull<T>(detail::fresh_key(a...), shape, a...);
}
template <element T, shape_type Shape, class... A> constexpr auto weibull(A const&... a) {
    return stateless_weibull<T>(detail::fresh_key(a...), Shape{}, a...);
}
template <element T = float, operand First, class... A> constexpr auto weibull(First const& first, A const&... a) {
    return stateless_weibull<T>(detail::fresh_key(first, a...), first, a...);
}
// Draws logarithms of gamma variables; see stateless_log_gamma.
template <element T = float, shape_type Shape, class... A> constexpr auto log_gamma(Shape shape, A const&... a) {
    return stateless_log_gamma<T>(detail::fresh_key(a...), shape, a...);
}
template <element T, shape_type Shape, class... A> constexpr auto log_gamma(A const&... a) {
    return stateless_log_gamma<T>(detail::fresh_key(a...), Shape{}, a...);
}
template <element T = float, operand First, class... A> constexpr auto log_gamma(First const& first, A const&... a) {
    return stateless_log_gamma<T>(detail::fresh_key(first, a...), first, a...);
}
// Draws numbers of [0, 1] of the beta distribution, with parameters a > 0 and b > 0; see stateless_beta.
template <element T = float, shape_type Shape, class... A> constexpr auto beta(Shape shape, A const&... a) {
    return stateless_beta<T>(detail::fresh_key(a...), shape, a...);
}
template <element T, shape_type Shape, class... A> constexpr auto beta(A const&... a) {
    return stateless_beta<T>(detail::fresh_key(a...), Shape{}, a...);
}
template <element T = float, operand First, class... A> constexpr auto beta(First const& first, A const&... a) {
    return stateless_beta<T>(detail::fresh_key(first, a...), first, a...);
}
// Draws numbers of Student's distribution, with degrees of freedom > 0 and then, if given, a location and a scale; see
// stateless_student_t.
template <element T = float, shape_type Shape, class... A> constexpr auto student_t(Shape shape, A const&... a) {
    return stateless_student_t<T>(detail::fresh_key(a...), shape, a...);
}
template <element T, shape_type Shape, class... A> constexpr auto student_t(A const&... a) {
    return stateless_student_t<T>(detail::fresh_key(a...), Shape{}, a...);
}
template <element T = float, operand First, class... A> constexpr auto student_t(First const& first, A const&... a) {
    return stateless_student_t<T>(detail::fresh_key(first, a...), first, a...);
}
// Draws angles of [-pi, pi) about a mean, with a concentration >= 0, where 0 means uniform; see stateless_von_mises.
template <element T = float, shape_type Shape, class... A> constexpr auto von_mises(Shape shape, A const&... a) {
    return stateless_von_mises<T>(detail::fresh_key(a...), shape, a...);
}
template <element T, shape_type Shape, class... A> constexpr auto von_mises(A const&... a) {
    return stateless_von_mises<T>(detail::fresh_key(a...), Shape{}, a...);
}
template <element T = float, operand First, class... A> constexpr auto von_mises(First const& first, A const&... a) {
    return stateless_von_mises<T>(detail::fresh_key(first, a...), first, a...);
}
// Draws Poisson counts with a mean >= 0; see stateless_poisson.
template <element T = std::int64_t, shape_type Shape, class... A> constexpr auto poisson(Shape shape, A const&... a) {
    return stateless_poisson<T>(detail::fresh_key(a...), shape, a...);
}
template <element T, shape_type Shape, class... A> constexpr auto poisson(A const&... a) {
    return stateless_poisson<T>(detail::fresh_key(a...), Shape{}, a...);
}
template <element T = std::int64_t, operand First, class... A> constexpr auto poisson(First const& first, A const&... a) {
    return stateless_poisson<T>(detail::fresh_key(first, a...), first, a...);
}
// Draws numbers of successes in n trials with probability p each; see stateless_binomial.
template <element T = std::int64_t, shape_type Shape, class... A> constexpr auto binomial(Shape shape, A const&... a) {
    return stateless_binomial<T>(detail::fresh_key(a...), shape, a...);
}
template <element T, shape_type Shape, class... A> constexpr auto binomial(A const&... a) {
    return stateless_binomial<T>(detail::fresh_key(a...), Shape{}, a...);
}
template <element T = std::int64_t, operand First, class... A> constexpr auto binomial(First const& first, A const&... a) {
    return stateless_binomial<T>(detail::fresh_key(first, a...), first, a...);
}
// Draws numbers of trials up to the first success, at least 1, with probability p each; see stateless_geometric.
template <element T = std::int64_t, shape_type Shape, class... A> constexpr auto geometric(Shape shape, A const&... a) {
    return stateless_geometric<T>(detail::fresh_key(a...), shape, a...);
}
template <element T, shape_type Shape, class... A> constexpr auto geometric(A const&... a) {
    return stateless_geometric<T>(detail::fresh_key(a...), Shape{}, a...);
}
template <element T = std::int64_t, operand First, class... A> constexpr auto geometric(First const& first, A const&... a) {
    return stateless_geometric<T>(detail::fresh_key(first, a...), first, a...);
}

// Draws orthogonal matrices in the last two axes of a shape; see stateless_orthogonal.
template <element T = float, shape_type Shape, class... E> constexpr auto orthogonal(Shape shape, E const&... extents) {
    return stateless_orthogonal<T>(detail::fresh_key(extents...), shape, extents...);
}
template <element T, shape_type Shape, class... E> constexpr auto orthogonal(E const&... extents) {
    return stateless_orthogonal<T>(detail::fresh_key(extents...), Shape{}, extents...);
}
// Draws vectors of positive parts that add up to 1; see stateless_dirichlet.
template <element T = float, array_operand A> constexpr auto dirichlet(A const& alpha) {
    return stateless_dirichlet<T>(detail::fresh_key(alpha), alpha);
}
template <element T = float, shape_type Shape, array_operand A> constexpr auto dirichlet(Shape shape, A const& alpha) {
    return stateless_dirichlet<T>(detail::fresh_key(alpha), shape, alpha);
}
// Draws normal vectors with a mean and a covariance; see stateless_multivariate_normal.
template <element T = float, array_operand M, array_operand C>
constexpr auto multivariate_normal(M const& mean, C const& covariance) {
    return stateless_multivariate_normal<T>(detail::fresh_key(mean, covariance), mean, covariance);
}
template <element T = float, shape_type Shape, array_operand M, array_operand C>
constexpr auto multivariate_normal(Shape shape, M const& mean, C const& covariance) {
    return stateless_multivariate_normal<T>(detail::fresh_key(mean, covariance), shape, mean, covariance);
}
template <class Unused = void, class... A> constexpr detail::failed dirichlet(detail::any_argument, A const&...) {
    static_assert(always_false<Unused>, "tx: random: dirichlet: takes alpha, behind a shape that is known if there is one; for "
                                        "others broadcast alpha: tx::random::dirichlet(tx::shape<5>{}, alpha)");
    return {};
}

} // namespace TRACEXPR_CALLS
} // namespace tx::random
