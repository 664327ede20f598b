// This file has this family's distributions as pure functions of a key, in the forms of run/random/stateless.hpp: behind the key
// stand a shape and the parameters, which broadcast to it. Without a shape it is the one that the parameters broadcast to.
// Parameters that make no sense give NaN. Derivatives go to the parameters; those of counts are 0.
#pragma once

#include <tracexpr/distributions/angles.hpp>
#include <tracexpr/distributions/counts.hpp>
#include <tracexpr/distributions/gamma.hpp>
#include <tracexpr/distributions/located.hpp>
#include <tracexpr/distributions/vectors.hpp>
#include <tracexpr/trace/misused.hpp>

namespace tx::random {
inline namespace TRACEXPR_CALLS {

// Draws numbers of Laplace's distribution, which is exponential to both sides, with location 0 and scale 1 or those given.
template <element T = float, class K, shape_type Shape, class... A>
[[nodiscard]] constexpr auto stateless_laplace(K const& from, Shape, A const&... a) {
    return detail::draw<detail::laplace_recipe<canonical<T>>, Shape>(from, a...);
}
template <element T, shape_type Shape, class K, class... A>
[[nodiscard]] constexpr auto stateless_laplace(K const& from, A const&... a) {
    return detail::draw<detail::laplace_recipe<canonical<T>>, Shape>(from, a...);
}
// Draws numbers of Cauchy's distribution, with location 0 and scale 1 or those given.
template <element T = float, class K, shape_type Shape, class... A>
[[nodiscard]] constexpr auto stateless_cauchy(K const& from, Shape, A const&... a) {
    return detail::draw<detail::cauchy_recipe<canonical<T>>, Shape>(from, a...);
}
template <element T, shape_type Shape, class K, class... A>
[[nodiscard]] constexpr auto stateless_cauchy(K const& from, A const&... a) {
    return detail::draw<detail::cauchy_recipe<canonical<T>>, Shape>(from, a...);
}
// Draws numbers of the logistic distribution, log(u / (1 - u)), with location 0 and scale 1 or those given.
template <element T = float, class K, shape_type Shape, class... A>
[[nodiscard]] constexpr auto stateless_logistic(K const& from, Shape, A const&... a) {
    return detail::draw<detail::logistic_recipe<canonical<T>>, Shape>(from, a...);
}
template <element T, shape_type Shape, class K, class... A>
[[nodiscard]] constexpr auto stateless_logistic(K const& from, A const&... a) {
    return detail::draw<detail::logistic_recipe<canonical<T>>, Shape>(from, a...);
}
// Draws numbers of Gumbel's distribution, -log(-log(u)), which is that of the greatest of many numbers, with location 0 and scale
// 1 or those given.
template <element T = float, class K, shape_type Shape, class... A>
[[nodiscard]] constexpr auto stateless_gumbel(K const& from, Shape, A const&... a) {
    return detail::draw<detail::gumbel_recipe<canonical<T>>, Shape>(from, a...);
}
template <element T, shape_type Shape, class K, class... A>
[[nodiscard]] constexpr auto stateless_gumbel(K const& from, A const&... a) {
    return detail::draw<detail::gumbel_recipe<canonical<T>>, Shape>(from, a...);
}
// Draws numbers of Weibull's distribution, with a scale and a concentration (JAX: weibull_min): P(x > t) = exp(-(t /
// scale)^concentration).
template <element T = float, class K, shape_type Shape, class... A>
[[nodiscard]] constexpr auto stateless_weibull(K const& from, Shape, A const&... a) {
    return detail::draw<detail::built_recipe<detail::weibull_builder, canonical<T>>, Shape>(from, a...);
}
template <element T, shape_type Shape, class K, class... A>
[[nodiscard]] constexpr auto stateless_weibull(K const& from, A const&... a) {
    return detail::draw<detail::built_recipe<detail::weibull_builder, canonical<T>>, Shape>(from, a...);
}
template <element T = float, class K, operand First, class... A>
[[nodiscard]] constexpr auto stateless_weibull(K const& from, First const& first, A const&... a) {
    return detail::draw_together<detail::built_recipe<detail::weibull_builder, canonical<T>>>(from, first, a...);
}
// Draws the logarithm of what stateless_gamma draws from the same key, which does not underflow for a tiny shape parameter alpha
// > 0.
template <element T = float, class K, shape_type Shape, class... A>
[[nodiscard]] constexpr auto stateless_log_gamma(K const& from, Shape, A const&... a) {
    return detail::draw<detail::built_recipe<detail::log_gamma_builder, canonical<T>>, Shape>(from, a...);
}
template <element T, shape_type Shape, class K, class... A>
[[nodiscard]] constexpr auto stateless_log_gamma(K const& from, A const&... a) {
    return detail::draw<detail::built_recipe<detail::log_gamma_builder, canonical<T>>, Shape>(from, a...);
}
template <element T = float, class K, operand First, class... A>
[[nodiscard]] constexpr auto stateless_log_gamma(K const& from, First const& first, A const&... a) {
    return detail::draw_together<detail::built_recipe<detail::log_gamma_builder, canonical<T>>>(from, first, a...);
}
// Draws numbers of [0, 1] of the beta distribution, with parameters a > 0 and b > 0.
template <element T = float, class K, shape_type Shape, class... A>
[[nodiscard]] constexpr auto stateless_beta(K const& from, Shape, A const&... a) {
    return detail::draw<detail::built_recipe<detail::beta_builder, canonical<T>>, Shape>(from, a...);
}
template <element T, shape_type Shape, class K, class... A>
[[nodiscard]] constexpr auto stateless_beta(K const& from, A const&... a) {
    return detail::draw<detail::built_recipe<detail::beta_builder, canonical<T>>, Shape>(from, a...);
}
template <element T = float, class K, operand First, class... A>
[[nodiscard]] constexpr auto stateless_beta(K const& from, First const& first, A const&... a) {
    return detail::draw_together<detail::built_recipe<detail::beta_builder, canonical<T>>>(from, first, a...);
}
// Draws numbers of Student's distribution, with degrees of freedom > 0 and then, if given, a location and a scale.
template <element T = float, class K, shape_type Shape, class... A>
[[nodiscard]] constexpr auto stateless_student_t(K const& from, Shape, A const&... a) {
    return detail::draw<detail::built_recipe<detail::student_t_builder, canonical<T>>, Shape>(from, a...);
}
template <element T, shape_type Shape, class K, class... A>
[[nodiscard]] constexpr auto stateless_student_t(K const& from, A const&... a) {
    return detail::draw<detail::built_recipe<detail::student_t_builder, canonical<T>>, Shape>(from, a...);
}
template <element T = float, class K, operand First, class... A>
[[nodiscard]] constexpr auto stateless_student_t(K const& from, First const& first, A const&... a) {
    return detail::draw_together<detail::built_recipe<detail::student_t_builder, canonical<T>>>(from, first, a...);
}
// Draws angles of [-pi, pi) of von Mises's distribution about a mean, with a concentration >= 0, where 0 means uniform.
// Derivatives go to the mean; those with respect to the concentration are 0.
template <element T = float, class K, shape_type Shape, class... A>
[[nodiscard]] constexpr auto stateless_von_mises(K const& from, Shape, A const&... a) {
    return detail::draw<detail::built_recipe<detail::von_mises_builder, canonical<T>>, Shape>(from, a...);
}
template <element T, shape_type Shape, class K, class... A>
[[nodiscard]] constexpr auto stateless_von_mises(K const& from, A const&... a) {
    return detail::draw<detail::built_recipe<detail::von_mises_builder, canonical<T>>, Shape>(from, a...);
}
template <element T = float, class K, operand First, class... A>
[[nodiscard]] constexpr auto stateless_von_mises(K const& from, First const& first, A const&... a) {
    return detail::draw_together<detail::built_recipe<detail::von_mises_builder, canonical<T>>>(from, first, a...);
}
// Draws Poisson counts with a mean >= 0. Where the mean is NaN, infinite or negative, they are -1, or NaN for floating T.
template <element T = std::int64_t, class K, shape_type Shape, class... A>
[[nodiscard]] constexpr auto stateless_poisson(K const& from, Shape, A const&... a) {
    return detail::draw<detail::count_recipe<detail::poisson_builder, canonical<T>>, Shape>(from, a...);
}
template <element T, shape_type Shape, class K, class... A>
[[nodiscard]] constexpr auto stateless_poisson(K const& from, A const&... a) {
    return detail::draw<detail::count_recipe<detail::poisson_builder, canonical<T>>, Shape>(from, a...);
}
template <element T = std::int64_t, class K, operand First, class... A>
[[nodiscard]] constexpr auto stateless_poisson(K const& from, First const& first, A const&... a) {
    return detail::draw_together<detail::count_recipe<detail::poisson_builder, canonical<T>>>(from, first, a...);
}
// Draws numbers of successes in n trials with probability p each: stateless_binomial(key, n, p). n is rounded down. Where n is
// negative or infinite, p outside of [0, 1], or one of them NaN, they are -1, or NaN for floating T.
template <element T = std::int64_t, class K, shape_type Shape, class... A>
[[nodiscard]] constexpr auto stateless_binomial(K const& from, Shape, A const&... a) {
    return detail::draw<detail::count_recipe<detail::binomial_builder, canonical<T>>, Shape>(from, a...);
}
template <element T, shape_type Shape, class K, class... A>
[[nodiscard]] constexpr auto stateless_binomial(K const& from, A const&... a) {
    return detail::draw<detail::count_recipe<detail::binomial_builder, canonical<T>>, Shape>(from, a...);
}
template <element T = std::int64_t, class K, operand First, class... A>
[[nodiscard]] constexpr auto stateless_binomial(K const& from, First const& first, A const&... a) {
    return detail::draw_together<detail::count_recipe<detail::binomial_builder, canonical<T>>>(from, first, a...);
}
// Draws numbers of trials up to the first success, at least 1, with probability p each. Where p is not in (0, 1], they are -1, or
// NaN for floating T.
template <element T = std::int64_t, class K, shape_type Shape, class... A>
[[nodiscard]] constexpr auto stateless_geometric(K const& from, Shape, A const&... a) {
    return detail::draw<detail::count_recipe<detail::geometric_builder, canonical<T>>, Shape>(from, a...);
}
template <element T, shape_type Shape, class K, class... A>
[[nodiscard]] constexpr auto stateless_geometric(K const& from, A const&... a) {
    return detail::draw<detail::count_recipe<detail::geometric_builder, canonical<T>>, Shape>(from, a...);
}
template <element T = std::int64_t, class K, operand First, class... A>
[[nodiscard]] constexpr auto stateless_geometric(K const& from, First const& first, A const&... a) {
    return detail::draw_together<detail::count_recipe<detail::geometric_builder, canonical<T>>>(from, first, a...);
}

// Draws orthogonal matrices, all equally likely, in the last two axes of a shape (..., m, n). Their columns are orthonormal, or
// their rows where there are more columns than rows.
template <element T = float, class K, shape_type Shape, class... E>
[[nodiscard]] constexpr auto stateless_orthogonal(K const& from, Shape, E const&... extents) {
    constexpr bool is_matrix = dims_of<Shape>.rank < 0 || dims_of<Shape>.rank >= 2;
    static_assert(is_matrix, "tx: random: orthogonal: the shape must be that of a matrix, or of several in its last two axes");
    if constexpr (!is_matrix) return detail::failed{};
    else return detail::draw<detail::built_recipe<detail::orthogonal_builder, canonical<T>>, Shape>(from, extents...);
}
// Draws vectors of positive parts that add up to 1, with parameters alpha > 0: (..., k) -> (..., k), or (s..., k) with a shape s
// of vectors in front.
template <element T = float, class K, array_operand A>
[[nodiscard]] constexpr auto stateless_dirichlet(K const& from, A const& alpha) {
    return detail::draw_vectors<detail::dirichlet_builder, canonical<T>, detail::count_of_parameters>(from, alpha);
}
template <element T = float, class K, shape_type Shape, array_operand A>
[[nodiscard]] constexpr auto stateless_dirichlet(K const& from, Shape, A const& alpha) {
    constexpr bool is_static = dims_of<Shape>.is_static();
    static_assert(is_static, "tx: random: dirichlet: the shape must be known; broadcast alpha to others");
    if constexpr (!is_static) return detail::failed{};
    else return detail::draw_vectors<detail::dirichlet_builder, canonical<T>, detail::given_count<Shape>>(from, alpha);
}
// Draws normal vectors with a mean (..., n) and a positive definite covariance (..., n, n) -> (..., n), or (s..., n) with a shape
// s of vectors in front.
template <element T = float, class K, array_operand M, array_operand C>
[[nodiscard]] constexpr auto stateless_multivariate_normal(K const& from, M const& mean, C const& covariance) {
    return detail::draw_vectors<detail::normal_vectors_builder, canonical<T>, detail::count_of_parameters>(from, mean,
                                                                                                           covariance);
}
template <element T = float, class K, shape_type Shape, array_operand M, array_operand C>
[[nodiscard]] constexpr auto stateless_multivariate_normal(K const& from, Shape, M const& mean, C const& covariance) {
    constexpr bool is_static = dims_of<Shape>.is_static();
    static_assert(is_static, "tx: random: multivariate_normal: the shape must be known; broadcast the mean to others");
    if constexpr (!is_static) return detail::failed{};
    else
        return detail::draw_vectors<detail::normal_vectors_builder, canonical<T>, detail::given_count<Shape>>(from, mean,
                                                                                                              covariance);
}
template <class Unused = void, class... A> constexpr detail::failed stateless_dirichlet(detail::any_argument, A const&...) {
    static_assert(always_false<Unused>, "tx: random: dirichlet: takes alpha, behind a shape that is known if there is one; for "
                                        "others broadcast alpha: tx::random::dirichlet(tx::shape<5>{}, alpha)");
    return {};
}

} // namespace TRACEXPR_CALLS
} // namespace tx::random
