// This file makes tensors from the shape or the values of another: full_like, zeros_like, ones_like, iota_like, one_hot, tril,
// triu, diag, meshgrid. Functions that need no operand (zeros, eye, arange, linspace, ...) give tensors, in base/create.hpp; a
// callable that uses one gets a constant of its graph.
#pragma once

#include <tracexpr/base/create.hpp>
#include <tracexpr/trace/joining.hpp>
#include <tracexpr/trace/shaping.hpp>

namespace tx {

// An argument of one_hot: one_hot(indices, tx::depth<10>).
template <std::int64_t Classes> struct depth_t {};
// The number of classes of tx::one_hot.
template <std::int64_t Classes> inline constexpr depth_t<Classes> depth{};
// An argument of meshgrid, the default: the axes of its first two operands are swapped.
enum xy_t { xy };
// An argument of meshgrid: axes in the order of its operands.
enum ij_t { ij };

namespace detail {

struct full_like_fn {
    template <class A, class V> constexpr auto operator()(A const& like, V const& value) const {
        using T = typename A::value_type;
        using result_type = expr<T, typename A::shape_type>;
        check_scalar<dtype_of<T>>("full_like", value);
        trace_scope& scope = like.scope();
        lowering low(scope);
        node_id const x = low.reshape(record_operand<dtype_of<T>>(scope, value), {});
        dims const d = low.shape(like.id());
        if (d.rank == 0) return result_type(scope, x);
        if (d.is_static())
            return result_type(scope,
                               low.append(op::broadcast_to, x, attribute_span(d.extent, static_cast<std::size_t>(d.rank))));
        return result_type(scope, low.append(op::broadcast_to, x, like.id()));
    }
};
template <class T, int Axis> struct iota_like_fn {
    static constexpr char const* called = "iota_like";
    template <class A> constexpr auto operator()(A const& like) const {
        lowering low(like.scope());
        low.require_rank(op::iota, like.id());
        return expr<T, typename A::shape_type>(like.scope(),
                                               low.template iota_like<T>(like.id(), normalized_axis(Axis, low.rank(like.id()))));
    }
};

template <class T, std::int64_t Classes> struct one_hot_fn {
    static constexpr char const* called = "one_hot";
    template <class I, class On, class Off> constexpr auto operator()(I const& indices, On const& on, Off const& off) const {
        attribute_list const axis_zero(0);
        auto const classes = record<expr<std::int64_t, shape<Classes>>>(indices.scope(), op::iota, {}, axis_zero);
        auto const hit = record_rule<expand_rule<-1>>(cast_to<std::int64_t>(indices)) == classes;
        return where(hit, constant<T>(on), constant<T>(off));
    }
    // Gives `on` or `off` in dtype To; a scalar stays a scalar.
    template <class To, class V> static constexpr auto constant(V const& v) {
        if constexpr (scalar_type<V>) return static_cast<To>(v);
        else return cast_to<To>(v);
    }
};

// Gives the row or column numbers of the last two axes (axis -from_end), in a shape that broadcasts against x.
template <class T = std::int64_t> constexpr node_id record_places(lowering& low, node_id x, int from_end) {
    int const a = low.rank(x) - from_end;
    std::int64_t const extent = low.extent(x, a);
    if (extent == dyn) return low.iota_like<T>(x, a);
    node_id places = low.iota<T>(extent);
    for (int k = 1; k < from_end; ++k) places = low.expand(places, k);
    return places;
}
// Are all row and column numbers known to fit int32? Kernels compare twice as many int32 at once as int64.
TRACEXPR_ONCE constexpr bool fit_int32(dims const& d, int axes) {
    for (int a = d.rank - axes; a < d.rank; ++a)
        if (d[a] == dyn || d[a] > most_int32_places) return false;
    return true;
}
template <bool Lower, int Offset> struct triangle_fn {
    static constexpr char const* called = Lower ? "tril" : "triu";
    template <class A> constexpr auto operator()(A const& a) const {
        lowering low(a.scope());
        low.require_rank(op::where, a.id());
        node_id const x = a.id();
        if (low.rank(x) < 2)
            throw shape_error("tx: tril, triu: the operand must have at least two axes; given " + to_string(low.shape(x)));
        bool const narrow = fit_int32(low.shape(x), 2) && Offset <= most_int32_places && Offset >= -most_int32_places;
        node_id const choice[]{narrow ? record_inside<std::int32_t>(low, x) : record_inside<std::int64_t>(low, x), x,
                               low.zero_like(x)};
        return expr<typename A::value_type, typename A::shape_type>(
            a.scope(), low.append(op::where, dtype_of<typename A::value_type>, choice));
    }
    template <class T> static constexpr node_id record_inside(lowering& low, node_id x) {
        node_id rows = record_places<T>(low, x, 2);
        node_id const columns = record_places<T>(low, x, 1);
        if (Offset != 0) rows = low.append(op::add, rows, low.literal(T{Offset}));
        node_id const sides[]{rows, columns};
        return low.append(Lower ? op::greater_equal : op::less_equal, dtype::boolean, sides);
    }
};

template <int Offset> struct diag_fn {
    static constexpr char const* called = "diag";
    template <class Shape> struct result {
        static constexpr inferred rule() {
            dims const d = dims_of<Shape>;
            if (d.rank < 0) return {d};
            return shape(d);
        }
    };
    static constexpr inferred shape(dims const& d) {
        if (d.rank == 2) return infer(op::diagonal, {}, {&d, 1}, attribute_list(Offset, 0, 1));
        if (d.rank != 1) return {{}, "takes a vector or a matrix"};
        std::int64_t const extent = d[0] == dyn ? dyn : d[0] + (Offset < 0 ? -Offset : Offset);
        return {dims{{extent, extent}, 2}};
    }
    template <class A> constexpr auto operator()(A const& a) const {
        using owner = checked_shape<result<typename A::shape_type>>;
        using result_type = expr<typename A::value_type, shape_from<owner>>;
        lowering low(a.scope());
        return result_type(a.scope(), record(low, a.id()));
    }
    static constexpr node_id record(lowering& low, node_id x) {
        low.require_rank(op::diagonal, x);
        dims const d = low.shape(x);
        if (inferred const out = shape(d); out.problem) throw_shape_error(op::diagonal, out.problem, {&d, 1});
        return d.rank == 2 ? low.append(op::diagonal, x, attribute_list(Offset, 0, 1)) : record_matrix(low, x);
    }
    static constexpr node_id record_matrix(lowering& low, node_id x) {
        node_id const places =
            fit_int32(low.shape(x), 1) ? record_places<std::int32_t>(low, x, 1) : record_places<std::int64_t>(low, x, 1);
        node_id const sides[]{low.expand(places, 1), low.expand(places, 0)};
        node_id const choice[]{low.append(op::equal, dtype::boolean, sides), low.expand(x, 0), low.zero_like(x)};
        node_id const matrix = low.append(op::where, low.type(x), choice);
        constexpr std::int64_t right = Offset > 0 ? Offset : 0, down = Offset < 0 ? -Offset : 0;
        return Offset == 0 ? matrix : low.append(op::pad, matrix, low.zero_like(x), attribute_list(down, right, right, down));
    }
};

template <bool Swap> struct meshgrid_fn {
    static constexpr char const* called = "meshgrid";
    template <class... A> constexpr auto operator()(A const&... a) const { return spread(std::index_sequence_for<A...>{}, a...); }
    template <std::size_t... I, class... A> static constexpr auto spread(std::index_sequence<I...>, A const&... a) {
        return broadcast_arrays_fn{}(
            along<(Swap && sizeof...(A) > 1 && I < 2 ? 1 - I : I)>(a, std::index_sequence_for<A...>{})...);
    }
    template <std::size_t Place, class A, std::size_t... I> static constexpr auto along(A const& a, std::index_sequence<I...>) {
        return target_fn<reshape_rule<(I == Place ? -1 : 1)...>, (I == Place ? -1 : 1)...>{}(a);
    }
};
template <class A> inline constexpr bool is_vector = dims_of_operand<A>.rank < 0 || dims_of_operand<A>.rank == 1;

} // namespace detail

inline namespace TRACEXPR_CALLS {

// Gives the value in each place, with the dtype and shape of an expr or a variable; base/create.hpp has the same for tensors.
template <class A, operand V> requires(expr_type<A> || variable_type<A>)
[[nodiscard]] constexpr auto full_like(A const& like, V const& value) {
    constexpr bool is_scalar = detail::dims_of_operand<V>.rank <= 0;
    static_assert(is_scalar, "tx: full_like: the value must be a scalar");
    return detail::apply_if<is_scalar>(detail::full_like_fn{}, like, value);
}
template <class A> requires(expr_type<A> || variable_type<A>) [[nodiscard]] constexpr auto zeros_like(A const& like) {
    return full_like(like, typename A::value_type{});
}
template <class A> requires(expr_type<A> || variable_type<A>) [[nodiscard]] constexpr auto ones_like(A const& like) {
    return full_like(like, static_cast<typename A::value_type>(1));
}
// For a tensor whose extents may change: inside a trace that reads it at each run it is recorded, so that its extents are those
// of the run.
template <element T, class Shape, detail::scalar_for<T> U> requires(!dims_of<Shape>.is_static())
[[nodiscard]] constexpr tensor<T, Shape> full_like(tensor<T, Shape> const& like, U value) {
    if (!__builtin_is_constant_evaluated() && (detail::tensor_access::is_symbolic(like) || detail::scope_of_live(like)))
        return detail::apply(detail::full_like_fn{}, like, detail::scalar_as<T>(value));
    return detail::filled_like(like, value);
}
template <element T, class Shape> requires(!dims_of<Shape>.is_static())
[[nodiscard]] constexpr tensor<T, Shape> zeros_like(tensor<T, Shape> const& like) {
    return full_like(like, T{});
}
template <element T, class Shape> requires(!dims_of<Shape>.is_static())
[[nodiscard]] constexpr tensor<T, Shape> ones_like(tensor<T, Shape> const& like) {
    return full_like(like, T(1));
}

// Each element is its place along the axis, the first by default. The shape is that of `like`; the dtype is int64 where none is
// named: iota_like<float>(x, tx::axis<1>).
template <element T = std::int64_t, array_operand A, int Axis = 0>
[[nodiscard]] constexpr auto iota_like(A const& like, axes_t<Axis> = {}) {
    constexpr bool counts = accepts(domain::ordered, dtype_of<T>);
    constexpr bool fits = detail::are_axes_of<A, Axis>;
    static_assert(counts, "tx: iota_like: counts in an integer or floating dtype");
    static_assert(fits, "tx: iota_like: the axis must lie within the rank; negative ones count from the end");
    return detail::apply_if<(counts && fits)>(detail::iota_like_fn<canonical<T>, Axis>{}, like);
}

// Adds a last axis of that depth: `on` at the index, `off` elsewhere, and `off` everywhere for an index outside. The dtype is
// float unless another is named.
template <element T = float, array_operand I, std::int64_t Classes, operand On, operand Off>
[[nodiscard]] constexpr auto one_hot(I const& indices, depth_t<Classes>, On const& on, Off const& off) {
    constexpr bool has_integers = detail::are_indices<I>;
    constexpr bool has_depth = Classes >= 0;
    constexpr bool has_room = detail::dims_of_operand<I>.rank < max_rank;
    static_assert(has_integers, "tx: one_hot: indices must be integers");
    static_assert(has_depth, "tx: one_hot: the depth must not be negative");
    static_assert(has_room, "tx: one_hot: indices must have at most 7 axes");
    return detail::apply_if<(has_integers && has_depth && has_room)>(detail::one_hot_fn<canonical<T>, Classes>{}, indices, on,
                                                                     off);
}
template <element T = float, array_operand I, std::int64_t Classes>
[[nodiscard]] constexpr auto one_hot(I const& indices, depth_t<Classes> classes) {
    return one_hot<T>(indices, classes, static_cast<T>(1), static_cast<T>(0));
}
// The depth as a template argument: one_hot<10>(i), one_hot<10, double>(i).
template <std::int64_t Classes, element T = float, array_operand I> [[nodiscard]] constexpr auto one_hot(I const& indices) {
    return one_hot<T>(indices, depth<Classes>);
}

// x with zeros above diagonal Offset of its last two axes.
template <int Offset = 0, array_operand A> [[nodiscard]] constexpr auto tril(A const& x) {
    constexpr bool fits = detail::fits<detail::matrix_transpose_rule, A>;
    static_assert(fits, "tx: tril: x must have at least two axes");
    return detail::apply_if<fits>(detail::triangle_fn<true, Offset>{}, x);
}
// x with zeros below diagonal Offset of its last two axes.
template <int Offset = 0, array_operand A> [[nodiscard]] constexpr auto triu(A const& x) {
    constexpr bool fits = detail::fits<detail::matrix_transpose_rule, A>;
    static_assert(fits, "tx: triu: x must have at least two axes");
    return detail::apply_if<fits>(detail::triangle_fn<false, Offset>{}, x);
}
// The diagonal Offset of a matrix, or for a vector a matrix of zeros with this diagonal.
template <int Offset = 0, array_operand A> [[nodiscard]] constexpr auto diag(A const& x) {
    constexpr bool fits =
        detail::checked_shape<typename detail::diag_fn<Offset>::template result<typename detail::traits<A>::shape_type>>::rule
            .problem == nullptr;
    static_assert(fits, "tx: diag: takes a vector or a matrix; diagonal and expand_dims take more axes");
    return detail::apply_if<fits>(detail::diag_fn<Offset>{}, x);
}

// The coordinates of a grid, as a tuple: for vectors of m and n elements two (n, m), with tx::ij two (m, n). Further vectors add
// further axes.
template <array_operand... A> [[nodiscard]] constexpr auto meshgrid(A const&... vectors) {
    constexpr bool are_vectors = (detail::is_vector<A> && ...);
    static_assert(are_vectors, "tx: meshgrid: takes vectors; flatten the operands");
    return detail::apply_if<are_vectors>(detail::meshgrid_fn<true>{}, vectors...);
}
template <array_operand... A> [[nodiscard]] constexpr auto meshgrid(xy_t, A const&... vectors) { return meshgrid(vectors...); }
template <array_operand... A> [[nodiscard]] constexpr auto meshgrid(ij_t, A const&... vectors) {
    constexpr bool are_vectors = (detail::is_vector<A> && ...);
    static_assert(are_vectors, "tx: meshgrid: takes vectors; flatten the operands");
    return detail::apply_if<are_vectors>(detail::meshgrid_fn<false>{}, vectors...);
}

} // namespace TRACEXPR_CALLS
} // namespace tx
