// This file has distributions of vectors and matrices: Dirichlet's, the normal one of several variables, and orthogonal matrices.
// The shape that is drawn is one of vectors, whose own axis comes last.
#pragma once

#include <tracexpr/distributions/gamma.hpp>

namespace tx::detail {

// vector_count tells how many vectors are drawn: `shape` if it is given, and otherwise the parameters' leading extents.
// of_vectors() adds the vectors' own extent at the end.
struct vector_count {
    dims shape{};
    bool is_given = false;
    constexpr dims of_vectors(dims const& in_front, std::int64_t extent) const {
        dims out = is_given ? shape : in_front;
        out.push_back(extent);
        return out;
    }
};
constexpr dims without_last_axes(dims d, int count) {
    d.rank -= count;
    return d;
}
TRACEXPR_ONCE constexpr char const* vectors_problem(vector_count const& count, dims const& in_front) {
    if (!count.is_given) return nullptr;
    inferred const both = broadcast_shape(count.shape, in_front);
    if (both.problem || !may_equal(both.shape, count.shape)) return "the parameters' leading extents must broadcast to the shape";
    return nullptr;
}
// Gives x, whose last axis is that of the vectors, broadcast to the shape of all vectors.
TRACEXPR_ONCE constexpr ad::value in_all_vectors(vector_count const& count, ad::value const& x) {
    if (!count.is_given) return x;
    dims const wanted = count.of_vectors({}, x.shape()[x.rank() - 1]);
    return ad::unary(op::broadcast_to, x, attribute_span(wanted.extent, static_cast<std::size_t>(wanted.rank)));
}

TRACEXPR_ONCE constexpr node_id dirichlet_draw(trace_scope& scope, node_id key, node_id concentration, vector_count const& count,
                                               dtype type) {
    ad::value const alpha = in_all_vectors(count, cast(ad::value(scope.recorded, concentration), widened_dtype(type)));
    random_source const from(scope, key, alpha.shape(), alpha.id());
    dtype const noise = primal(type) == dtype::float64 ? dtype::float64 : dtype::float32;
    ad::value const logarithms = log_gamma_draw(from, noise, alpha);
    attribute_list const last(1, alpha.rank() - 1);
    ad::value const parts = exp(logarithms - fixed(ad::unary(op::max, logarithms, last)));
    return (parts / ad::unary(op::sum, parts, last)).id();
}
template <class T, class Count> struct dirichlet_builder {
    static constexpr char const* called = "dirichlet";
    static constexpr char const* problem(builder_specs given) {
        dims const d = given[1].shape;
        if (!is_floating(dtype_of<T>)) return "gives floating numbers";
        if (d.rank == 0) return "alpha must have an axis, that of the parts";
        return d.rank < 0 ? nullptr : vectors_problem(Count::value, without_last_axes(d, 1));
    }
    static constexpr std::array<dtype, 1> types(builder_specs) { return std::array<dtype, 1>{dtype_of<T>}; }
    static constexpr std::array<dims, 1> shapes(builder_specs given) {
        dims const d = given[1].shape;
        return std::array<dims, 1>{Count::value.of_vectors(without_last_axes(d, 1), d[d.rank - 1])};
    }
    static constexpr std::array<node_id, 1> record(trace_scope& scope, node_id const* in) {
        return std::array<node_id, 1>{dirichlet_draw(scope, in[0], in[1], Count::value, dtype_of<T>)};
    }
};

// Draws mean + L z with normal z, where L L^T is the covariance.
TRACEXPR_ONCE constexpr node_id normal_vectors_draw(trace_scope& scope, node_id key, node_id mean_node, node_id covariance_node,
                                                    vector_count const& count, dtype type) {
    dtype const computed = widened_dtype(type);
    ad::value const mean = cast(ad::value(scope.recorded, mean_node), computed),
                    c = cast(ad::value(scope.recorded, covariance_node), computed);
    ad::value const factor = ad::unary(op::cholesky, c);
    ad::value const columns = ad::unary(op::diagonal, c, attribute_list(0, c.rank() - 2, c.rank() - 1));
    ad::value const like = in_all_vectors(count, mean + columns);
    random_source const from(scope, key, like.shape(), like.id());
    ad::value const z = cast(from.normal(primal(type) == dtype::float64 ? dtype::float64 : dtype::float32, 0), computed);
    if (c.rank() == 2 && z.rank() > 1) return (mean + ad::record(op::matmul, {z, swap_last_axes(factor)})).id();
    ad::value const product = ad::record(op::matmul, {factor, ad::unary(op::expand_dims, z, attribute_list(z.rank()))});
    return (mean + ad::unary(op::squeeze, product, attribute_list(product.rank() - 1))).id();
}
template <class T, class Count> struct normal_vectors_builder {
    static constexpr char const* called = "multivariate_normal";
    static constexpr char const* problem(builder_specs given) {
        dims const mean = given[1].shape, c = given[2].shape;
        if (!is_floating(dtype_of<T>)) return "gives floating numbers";
        if (mean.rank == 0) return "the mean must have an axis, that of the variables";
        if (mean.rank < 0 || c.rank < 0) return nullptr;
        if (c.rank < 2 || square_shape(c).problem)
            return "the covariance must be a square matrix, or several in the last two axes";
        if (!may_equal(dims{{mean[mean.rank - 1]}, 1}, dims{{c[c.rank - 1]}, 1}))
            return "the covariance must have as many rows as the mean has elements";
        inferred const both = in_front(given);
        return both.problem ? "the leading extents of mean and covariance must broadcast"
                            : vectors_problem(Count::value, both.shape);
    }
    static constexpr std::array<dtype, 1> types(builder_specs) { return std::array<dtype, 1>{dtype_of<T>}; }
    static constexpr std::array<dims, 1> shapes(builder_specs given) {
        dims const mean = given[1].shape, c = given[2].shape;
        std::int64_t const of_mean = mean[mean.rank - 1];
        return std::array<dims, 1>{Count::value.of_vectors(in_front(given).shape, of_mean == dyn ? c[c.rank - 1] : of_mean)};
    }
    static constexpr std::array<node_id, 1> record(trace_scope& scope, node_id const* in) {
        return std::array<node_id, 1>{normal_vectors_draw(scope, in[0], in[1], in[2], Count::value, dtype_of<T>)};
    }

private:
    static constexpr inferred in_front(builder_specs given) {
        return broadcast_shape(without_last_axes(given[1].shape, 1), without_last_axes(given[2].shape, 2));
    }
};

struct count_of_parameters {
    static constexpr vector_count value{};
};
template <class Shape> struct given_count {
    static constexpr vector_count value{dims_of<Shape>, true};
};

// Draws the Q of normal numbers' Q R, with signs that make R's diagonal positive, so that every orthogonal matrix is equally
// likely. (F. Mezzadri, How to generate random matrices from the classical compact groups, 2007) With more columns than rows it
// is the transpose.
struct orthogonal_builder {
    static constexpr char const* called = "orthogonal";
    static constexpr std::size_t least = 0, most = 0;
    static constexpr bool is_of(dtype type) { return is_floating(type) && primal(type) == type; }
    static constexpr dtype number(dtype of) { return of; }
    TRACEXPR_ONCE static constexpr ad::value draw(random_source const& from, dtype noise, table_view<ad::value>) {
        ad::value const z = from.normal(noise, 0);
        dims const d = z.shape();
        if (d.rank < 2)
            throw_shape_error(called, "the shape must be that of a matrix, or of several in its last two axes", {&d, 1});
        bool const is_wide = d[d.rank - 2] != dyn && d[d.rank - 1] != dyn && d[d.rank - 2] < d[d.rank - 1];
        ad::value const q = ad::unary(op::qr, is_wide ? swap_last_axes(z) : z);
        ad::value const r{q.owner(), append_result(q.owner(), q.id(), 1)};
        ad::value const diagonal = ad::unary(op::diagonal, r, attribute_list(0, r.rank() - 2, r.rank() - 1));
        ad::value const signs = ad::record(op::copysign, {diagonal.like(1), diagonal});
        ad::value const out = q * ad::unary(op::expand_dims, signs, attribute_list(q.rank() - 2));
        return is_wide ? swap_last_axes(out) : out;
    }
};

inline namespace TRACEXPR_CALLS {

template <template <class, class> class Builder, class T, class Count, class K, class... A>
constexpr auto draw_vectors(K const& key, A const&... a) {
    require_key<K>();
    using builder = Builder<T, Count>;
    using number = std::remove_cvref_t<decltype(number_of_key(key))>;
    constexpr bool are_real = (is_real_parameter<A> && ...);
    static_assert(are_real, "tx: random: the parameters of a distribution must be real numbers");
    constexpr bool fits = built_problem<builder, number, A...> == nullptr;
    static_assert(fits, "tx: random: dirichlet takes alpha (..., k); multivariate_normal takes a mean (..., n) and a covariance "
                        "(..., n, n); leading extents must broadcast to the shape, if there is one");
    if constexpr (!is_random_key<K> || !are_real || !fits) {
        return failed{};
    } else {
        need_random_routines(dtypes_needed<T, noise_of<T>>{});
        return detail::apply(built_fn<builder>{}, number_of_key(key), a...);
    }
}

} // namespace TRACEXPR_CALLS
} // namespace tx::detail
