// This file draws random numbers as pure functions of a key: stateless_normal<float>(key, tx::shape<5, 5>{}). A shape with
// tx::dyn is followed by its extents, and then by the distribution's parameters: numbers, or tensors that broadcast to the shape.
// Derivatives go to the parameters; under tx::vmap each key draws what it draws alone. Parameters are not checked; those that
// make no sense give NaN.
#pragma once

#include <tracexpr/run/random/distributions.hpp>

namespace tx::random {
inline namespace TRACEXPR_CALLS {

// Draws uniform numbers in [0, 1), or in [lo, hi), of which every number is less than hi; the bounds are rounded to T first.
template <element T = float, class K, shape_type Shape, class... A>
[[nodiscard]] constexpr auto stateless_uniform(K const& from, Shape, A const&... a) {
    return detail::draw<detail::uniform_recipe<canonical<T>>, Shape>(from, a...);
}
template <element T, shape_type Shape, class K, class... A>
[[nodiscard]] constexpr auto stateless_uniform(K const& from, A const&... a) {
    return detail::draw<detail::uniform_recipe<canonical<T>>, Shape>(from, a...);
}
// Draws normal numbers with mean 0 and standard deviation 1, or those given: mean, or mean and deviation.
template <element T = float, class K, shape_type Shape, class... A>
[[nodiscard]] constexpr auto stateless_normal(K const& from, Shape, A const&... a) {
    return detail::draw<detail::normal_recipe<canonical<T>>, Shape>(from, a...);
}
template <element T, shape_type Shape, class K, class... A>
[[nodiscard]] constexpr auto stateless_normal(K const& from, A const&... a) {
    return detail::draw<detail::normal_recipe<canonical<T>>, Shape>(from, a...);
}
// Draws normal numbers that are within two deviations of the mean.
template <element T = float, class K, shape_type Shape, class... A>
[[nodiscard]] constexpr auto stateless_truncated_normal(K const& from, Shape, A const&... a) {
    return detail::draw<detail::truncated_normal_recipe<canonical<T>>, Shape>(from, a...);
}
template <element T, shape_type Shape, class K, class... A>
[[nodiscard]] constexpr auto stateless_truncated_normal(K const& from, A const&... a) {
    return detail::draw<detail::truncated_normal_recipe<canonical<T>>, Shape>(from, a...);
}
// Draws exponential numbers with mean 1, or the one given.
template <element T = float, class K, shape_type Shape, class... A>
[[nodiscard]] constexpr auto stateless_exponential(K const& from, Shape, A const&... a) {
    return detail::draw<detail::exponential_recipe<canonical<T>>, Shape>(from, a...);
}
template <element T, shape_type Shape, class K, class... A>
[[nodiscard]] constexpr auto stateless_exponential(K const& from, A const&... a) {
    return detail::draw<detail::exponential_recipe<canonical<T>>, Shape>(from, a...);
}
// Draws gamma numbers with shape parameter alpha > 0 and scale 1. One in 4e7 is wrong; the derivative with respect to alpha is an
// approximation, on average right to a few thousandths.
template <element T = float, class K, shape_type Shape, class... A>
[[nodiscard]] constexpr auto stateless_gamma(K const& from, Shape, A const&... alpha) {
    return detail::draw<detail::gamma_recipe<canonical<T>>, Shape>(from, alpha...);
}
template <element T, shape_type Shape, class K, class... A>
[[nodiscard]] constexpr auto stateless_gamma(K const& from, A const&... alpha) {
    return detail::draw<detail::gamma_recipe<canonical<T>>, Shape>(from, alpha...);
}
// Draws booleans: true with probability 1/2, or the one given.
template <class K, shape_type Shape, class... A>
[[nodiscard]] constexpr auto stateless_bernoulli(K const& from, Shape, A const&... a) {
    return detail::draw<detail::bernoulli_recipe, Shape>(from, a...);
}
template <shape_type Shape, class K, class... A> [[nodiscard]] constexpr auto stateless_bernoulli(K const& from, A const&... a) {
    return detail::draw<detail::bernoulli_recipe, Shape>(from, a...);
}
// Draws whole numbers in [lo, hi), all equally likely to 1 in 2^32 (for 64-bit ranges: to (hi - lo) / 2^64). lo must be less than
// hi.
template <element T = std::int64_t, class K, shape_type Shape, class... A>
[[nodiscard]] constexpr auto stateless_randint(K const& from, Shape, A const&... a) {
    return detail::draw<detail::randint_recipe<canonical<T>>, Shape>(from, a...);
}
template <element T, shape_type Shape, class K, class... A>
[[nodiscard]] constexpr auto stateless_randint(K const& from, A const&... a) {
    return detail::draw<detail::randint_recipe<canonical<T>>, Shape>(from, a...);
}

// Draws a class for each row of logits: (..., classes) -> (...), int64. Logits need not be normalised.
template <class K, array_operand A> [[nodiscard]] constexpr auto stateless_categorical(K const& from, A const& logits) {
    constexpr dims extents = detail::dims_of_operand<A>;
    constexpr bool are_logits = is_floating(detail::dtype_of_operand<A>) && extents.rank != 0;
    constexpr bool are_classes = extents.rank < 1 || extents.extent[extents.rank - 1] != 0;
    static_assert(are_logits, "tx: random: categorical: logits must be floating, with the classes along the last axis");
    static_assert(are_classes, "tx: random: categorical: there must be at least one class; the last axis of the logits is empty");
    detail::require_key<K>();
    if constexpr (!are_logits || !are_classes || !detail::is_random_key<K>) return detail::failed{};
    else return detail::apply(detail::classes_fn<A>{}, detail::number_of_key(from), logits);
}

} // namespace TRACEXPR_CALLS
} // namespace tx::random

namespace tx::nn {
inline namespace TRACEXPR_CALLS {

// Returns x with each element kept with that probability, and divided by it; the others are 0. A probability outside of 0 and 1
// throws error; in a trace, which has no values, all that is kept is NaN.
template <class K, array_operand A, operand P>
[[nodiscard]] constexpr auto dropout(K const& from, A const& x, P const& keep_probability) {
    constexpr bool is_number = detail::is_real_parameter<P> && detail::dims_of_operand<P>.rank <= 0;
    constexpr bool has_numbers = detail::is_real_parameter<A>;
    static_assert(is_number, "tx: nn: dropout: the probability must be a scalar");
    static_assert(has_numbers, "tx: nn: dropout: x must be of real numbers");
    detail::require_key<K>();
    detail::check_kept_share("dropout", keep_probability);
    if constexpr (!is_number || !has_numbers || !detail::is_random_key<K>) return detail::failed{};
    else return detail::apply(detail::dropout_fn<A>{}, detail::number_of_key(from), x, keep_probability);
}

} // namespace TRACEXPR_CALLS
} // namespace tx::nn
