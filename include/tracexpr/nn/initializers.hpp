// This file draws initial values of parameters, as jax.nn.initializers does. Kernels are (window..., in, out); the fan-in is `in`
// times the window, the fan-out is `out` times the window. The extents of a shape with tx::dyn follow it as arguments.
#pragma once

#include <tracexpr/run/random/stateless.hpp>
#include <tracexpr/trace/linalg_factors.hpp>

namespace tx::detail {

enum class fan { in, out, mean };

// Computes the square root of x > 0 by Newton's iteration, which constant evaluation can do; it begins above the root.
TRACEXPR_ONCE constexpr double constant_root(double x) {
    double root = x > 1 ? x : 1, next = 0.5 * (root + x / root);
    while (next < root) root = next, next = 0.5 * (root + x / root);
    return root;
}
// Returns the variance of the elements of a kernel whose sum over the fan has the variance `scale`.
TRACEXPR_ONCE constexpr double scaled_variance(dims const& d, fan which, double scale) {
    double window = 1;
    for (int a = 0; a + 2 < d.rank; ++a) window *= static_cast<double>(d[a]);
    double const in = window * static_cast<double>(d[d.rank - 2]), out = window * static_cast<double>(d[d.rank - 1]);
    double const count = which == fan::in ? in : which == fan::out ? out : 0.5 * (in + out);
    return count > 0 ? scale / count : 0;
}
// The standard deviation of standard normal numbers that are truncated at +-2.
inline constexpr double truncated_deviation = 0.87962566103423978;

template <class T, class K, class Shape, class... E> constexpr bool check_kernel() {
    constexpr bool is_number = is_floating(dtype_of<canonical<T>>);
    constexpr bool is_kernel = dims_of<Shape>.rank >= 2;
    constexpr bool has_extents = dims_of<Shape>.is_static()
                                     ? sizeof...(E) == 0
                                     : sizeof...(E) == static_cast<std::size_t>(is_kernel ? dims_of<Shape>.rank : 0);
    constexpr bool are_numbers = (std::is_integral_v<E> && ...);
    static_assert(is_number, "tx: nn: initializers: make floating numbers; give the dtype as glorot_uniform<float>(key, shape)");
    static_assert(is_kernel,
                  "tx: nn: initializers: the shape must be that of a kernel, (window..., in, out); a vector has no fans");
    static_assert(!is_kernel || (has_extents && are_numbers),
                  "tx: nn: initializers: behind a shape with tx::dyn stand its extents, C++ integers, those of all axes");
    return is_number && is_kernel && has_extents && are_numbers;
}
template <class T, bool IsUniform, fan Fan, class K, class Shape, class... E>
constexpr auto draw_kernel(K const& from, double scale, Shape like, E... extents) {
    if constexpr (!check_kernel<T, K, Shape, E...>()) {
        return failed{};
    } else {
        dims const d = dims_from<Shape>("tx: nn: initializers", extents...);
        double const variance = scaled_variance(d, Fan, scale);
        double const reach = variance > 0 ? constant_root(IsUniform ? 3 * variance : variance) : 0;
        if constexpr (IsUniform) return random::stateless_uniform<T>(from, like, extents..., -reach, reach);
        else return random::stateless_truncated_normal<T>(from, like, extents..., 0.0, reach / truncated_deviation);
    }
}

// The initializer is that of Saxe, McClelland and Ganguli, Exact solutions to the nonlinear dynamics of learning in deep linear
// neural networks (2013). The result is Q of the QR decomposition of a matrix of normal numbers, with the signs that make its
// distribution uniform. With more columns than rows it is the transpose of such a matrix.
template <class T, class Shape> struct orthogonal_fn {
    static constexpr char const* called = "nn::orthogonal";
    static constexpr dims d = dims_of<Shape>;
    static constexpr std::int64_t columns = d[d.rank - 1], rows = columns == 0 ? 0 : d.size() / columns;
    static constexpr bool is_tall = rows >= columns;
    using matrix = shape<(is_tall ? rows : columns), (is_tall ? columns : rows)>;
    using computed = std::conditional_t<tx::is_small_float(dtype_of<T>), float, T>;

    template <class K, class S> constexpr auto operator()(K const& key, S const& scale) const {
        auto const normal = random::stateless_normal<computed>(key, matrix{});
        auto const parts = linalg::qr(normal);
        auto const signs = where(diagonal(parts.second) < 0, computed(-1), computed(1));
        auto const q = scale * (parts.first * signs);
        return cast_to<T>(in_shape(q, std::make_index_sequence<static_cast<std::size_t>(d.rank)>{}));
    }

private:
    template <class Q, std::size_t... I> static constexpr auto in_shape(Q const& q, std::index_sequence<I...>) {
        if constexpr (is_tall) return reshape<d[static_cast<int>(I)]...>(q);
        else return reshape<d[static_cast<int>(I)]...>(transpose(q));
    }
};

} // namespace tx::detail

namespace tx::nn {
inline namespace TRACEXPR_CALLS {

// Draws uniform numbers with variance 2 / (fan-in + fan-out): glorot_uniform<float>(key, tx::shape<784, 100>{}). Glorot and
// Bengio, Understanding the difficulty of training deep feedforward neural networks (2010).
template <element T = float, class K, shape_type Shape, class... E>
[[nodiscard]] constexpr auto glorot_uniform(K const& from, Shape like, E... extents) {
    return tx::detail::draw_kernel<canonical<T>, true, tx::detail::fan::mean>(from, 1.0, like, extents...);
}
// Draws normal numbers with variance 2 / (fan-in + fan-out), truncated at two standard deviations.
template <element T = float, class K, shape_type Shape, class... E>
[[nodiscard]] constexpr auto glorot_normal(K const& from, Shape like, E... extents) {
    return tx::detail::draw_kernel<canonical<T>, false, tx::detail::fan::mean>(from, 1.0, like, extents...);
}
// Draws uniform numbers with variance 2 / fan-in. He, Zhang, Ren and Sun, Delving deep into rectifiers (2015).
template <element T = float, class K, shape_type Shape, class... E>
[[nodiscard]] constexpr auto he_uniform(K const& from, Shape like, E... extents) {
    return tx::detail::draw_kernel<canonical<T>, true, tx::detail::fan::in>(from, 2.0, like, extents...);
}
// Draws normal numbers with variance 2 / fan-in, truncated at two standard deviations.
template <element T = float, class K, shape_type Shape, class... E>
[[nodiscard]] constexpr auto he_normal(K const& from, Shape like, E... extents) {
    return tx::detail::draw_kernel<canonical<T>, false, tx::detail::fan::in>(from, 2.0, like, extents...);
}
// Draws uniform numbers with variance 1 / fan-in. LeCun, Bottou, Orr and Mueller, Efficient BackProp (1998).
template <element T = float, class K, shape_type Shape, class... E>
[[nodiscard]] constexpr auto lecun_uniform(K const& from, Shape like, E... extents) {
    return tx::detail::draw_kernel<canonical<T>, true, tx::detail::fan::in>(from, 1.0, like, extents...);
}
// Draws normal numbers with variance 1 / fan-in, truncated at two standard deviations.
template <element T = float, class K, shape_type Shape, class... E>
[[nodiscard]] constexpr auto lecun_normal(K const& from, Shape like, E... extents) {
    return tx::detail::draw_kernel<canonical<T>, false, tx::detail::fan::in>(from, 1.0, like, extents...);
}
// Draws a random matrix (window... in, out) with orthonormal columns, or rows where it has fewer of them, and multiplies it by
// `scale`. The shape's extents must all be known.
template <element T = float, class K, shape_type Shape>
[[nodiscard]] constexpr auto orthogonal(K const& from, Shape, double scale = 1) {
    constexpr bool is_number = is_floating(dtype_of<canonical<T>>);
    constexpr bool is_kernel = dims_of<Shape>.rank >= 2 && dims_of<Shape>.is_static();
    static_assert(is_number, "tx: nn: orthogonal: makes floating numbers; give the dtype as orthogonal<float>(key, shape)");
    static_assert(is_kernel,
                  "tx: nn: orthogonal: the shape must be that of a kernel, (window..., in, out), whose extents the type "
                  "tells");
    tx::detail::require_key<K>();
    constexpr bool fits = is_number && is_kernel && tx::detail::is_random_key<K>;
    if constexpr (fits)
        return tx::detail::apply_if<true>(tx::detail::orthogonal_fn<canonical<T>, Shape>{}, tx::detail::number_of_key(from),
                                          scale);
    else return tx::detail::failed{};
}
// Draws normal numbers with mean 0, truncated at two standard deviations; `deviation` is the standard deviation before
// truncation.
template <element T = float, class K, shape_type Shape>
[[nodiscard]] constexpr auto truncated_normal(K const& from, Shape like, double deviation = 0.01) {
    return random::stateless_truncated_normal<T>(from, like, 0.0, deviation);
}

} // namespace TRACEXPR_CALLS
} // namespace tx::nn
