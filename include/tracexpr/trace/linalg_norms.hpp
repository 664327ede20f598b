// This file holds tx::linalg::norm: the norms of vectors, which are those of tx::norm, and of matrices.
#pragma once

#include <tracexpr/trace/linalg_factors.hpp>
#include <tracexpr/trace/norms.hpp>
#include <tracexpr/trace/shaping.hpp>

namespace tx {

namespace linalg {
// The order minus infinity: for vectors the smallest absolute value, for matrices the smallest sum of absolute values of a row.
enum order_minus_infinity_t { order_minus_inf };
// The Frobenius norm of a matrix: the root of the sum of squares.
enum frobenius_t { frobenius };
// The nuclear norm of a matrix: the sum of the singular values.
enum nuclear_t { nuclear };
} // namespace linalg

namespace detail {

enum class matrix_norm { frobenius, nuclear, largest, least, largest_column, least_column, largest_row, least_row, none };
template <class Order> inline constexpr matrix_norm matrix_norm_of = matrix_norm::none;
template <> inline constexpr matrix_norm matrix_norm_of<linalg::frobenius_t> = matrix_norm::frobenius;
template <> inline constexpr matrix_norm matrix_norm_of<linalg::nuclear_t> = matrix_norm::nuclear;
template <> inline constexpr matrix_norm matrix_norm_of<order_t<2>> = matrix_norm::largest;
template <> inline constexpr matrix_norm matrix_norm_of<order_t<-2>> = matrix_norm::least;
template <> inline constexpr matrix_norm matrix_norm_of<order_t<1>> = matrix_norm::largest_column;
template <> inline constexpr matrix_norm matrix_norm_of<order_t<-1>> = matrix_norm::least_column;
template <> inline constexpr matrix_norm matrix_norm_of<order_infinity_t> = matrix_norm::largest_row;
template <> inline constexpr matrix_norm matrix_norm_of<linalg::order_minus_infinity_t> = matrix_norm::least_row;

// The number of axes of a norm: those named, else all. 0 means that it is unknown.
template <class Form> struct normed_axes;
template <over What, reduced_axes Then, int... Axes> struct normed_axes<reduction_form<What, Then, Axes...>> {
    static constexpr int count(int rank) { return What == over::axes ? static_cast<int>(sizeof...(Axes)) : rank < 0 ? 0 : rank; }
};
template <class Form, class A> inline constexpr bool norms_matrices = normed_axes<Form>::count(dims_of_operand<A>.rank) == 2;
template <class Form, class A> inline constexpr bool norms_vectors = normed_axes<Form>::count(dims_of_operand<A>.rank) == 1;

template <matrix_norm Kind, bool Keep, int Rows, int Columns> struct matrix_norm_fn {
    static constexpr char const* called = "norm";
    static constexpr bool by_singular_values =
        Kind == matrix_norm::nuclear || Kind == matrix_norm::largest || Kind == matrix_norm::least;

    template <class A> constexpr auto operator()(A const& a) const {
        using T = typename A::value_type;
        auto const x = cast_to<mean_sum_type<T>>(a);
        auto const squeezed = [](auto const& kept) {
            if constexpr (Keep) return kept;
            else return tx::squeeze<Rows, Columns>(kept);
        };
        if constexpr (Kind == matrix_norm::frobenius) {
            if constexpr (Keep) return tx::norm<Rows, Columns>(a, keepdims);
            else return tx::norm<Rows, Columns>(a);
        } else if constexpr (by_singular_values) {
            auto const s = of_values(linalg::svdvals(tx::moveaxis(x, axis<Rows, Columns>, axis<-2, -1>)));
            if constexpr (Keep) return cast_to<mean_type<T>>(tx::expand_dims<Rows, Columns>(s));
            else return cast_to<mean_type<T>>(s);
        } else {
            constexpr bool of_columns = Kind == matrix_norm::largest_column || Kind == matrix_norm::least_column;
            constexpr int summed = of_columns ? Rows : Columns, compared = of_columns ? Columns : Rows;
            auto const sums = tx::sum<summed>(tx::abs(x), keepdims);
            if constexpr (Kind == matrix_norm::largest_column || Kind == matrix_norm::largest_row)
                return cast_to<real_type<mean_type<T>>>(squeezed(tx::max<compared>(sums, keepdims)));
            else return cast_to<real_type<mean_type<T>>>(squeezed(tx::min<compared>(sums, keepdims)));
        }
    }

private:
    template <class S> static constexpr auto of_values(S const& s) {
        if constexpr (Kind == matrix_norm::nuclear) return tx::sum<-1>(s);
        else if constexpr (Kind == matrix_norm::largest) return tx::max<-1>(s);
        else return tx::min<-1>(s);
    }
};
template <matrix_norm Kind, class Form, int Rank> struct matrix_norm_fn_of;
template <matrix_norm Kind, reduced_axes Then, int Rows, int Columns, int Rank>
struct matrix_norm_fn_of<Kind, reduction_form<over::axes, Then, Rows, Columns>, Rank> {
    using type = matrix_norm_fn<Kind, Then == reduced_axes::stay, Rows, Columns>;
};
template <matrix_norm Kind, reduced_axes Then> struct matrix_norm_fn_of<Kind, reduction_form<over::all, Then>, 2> {
    using type = matrix_norm_fn<Kind, Then == reduced_axes::stay, 0, 1>;
};

// The smallest absolute value.
template <class Form> struct least_size_fn {
    static constexpr char const* called = "norm";
    template <class A> constexpr auto operator()(A const& a) const {
        using T = typename A::value_type;
        return cast_to<real_type<mean_type<T>>>(record_reduction<op::min, Form>(tx::abs(cast_to<mean_sum_type<T>>(a))));
    }
};

} // namespace detail

namespace linalg {
inline namespace TRACEXPR_CALLS {

// The root of the sum of squares, over all elements or over axes: linalg::norm(x, tx::axis<-1>), and with tx::keepdims.
template <int... Axes, array_operand A, detail::reduction_option... Options>
[[nodiscard]] constexpr auto norm(A const& x, Options... options) {
    return tx::norm<Axes...>(x, options...);
}
// A norm of an order. Over one axis, or of a vector, the orders are those of tx::norm, and order_minus_inf. Over two axes, or of
// a matrix, order<1> and order_inf are the largest sum of absolute values of a column and of a row, order<-1> and order_minus_inf
// the smallest; order<2> and order<-2> are the largest and the smallest singular value; nuclear is their sum; frobenius is the
// root of the sum of squares.
template <int... Axes, array_operand A, class Order, detail::reduction_option... Options>
requires(!detail::reduction_option<Order>) [[nodiscard]] constexpr auto norm(A const& x, Order order, Options... options) {
    using form = detail::form_of<axes_t<Axes...>, Options...>;
    constexpr detail::matrix_norm kind = detail::matrix_norm_of<Order>;
    constexpr bool fits = detail::axes_fit<form, A>, of_matrices = detail::norms_matrices<form, A>,
                   has_axes = of_matrices || detail::norms_vectors<form, A>,
                   is_of_these = !of_matrices || kind != detail::matrix_norm::none,
                   is_of_vectors = of_matrices || (!std::is_same_v<Order, nuclear_t> && !std::is_same_v<Order, frobenius_t>);
    static_assert(fits, "tx: linalg::norm: axes must differ and lie within the rank of x; negative ones count from the end");
    static_assert(has_axes || !fits,
                  "tx: linalg::norm: with an order it takes one axis for vectors, two for matrices, or x of rank "
                  "1 or 2: tx::axis<-2, -1>");
    static_assert(is_of_these,
                  "tx: linalg::norm: matrices have the orders 1, -1, 2, -2, order_inf, order_minus_inf, frobenius and "
                  "nuclear");
    static_assert(is_of_vectors || !has_axes, "tx: linalg::norm: frobenius and nuclear are of matrices; name two axes");
    if constexpr (!fits || !has_axes || !is_of_these || !is_of_vectors) {
        return detail::failed{};
    } else if constexpr (of_matrices) {
        return detail::apply(typename detail::matrix_norm_fn_of<kind, form, detail::dims_of_operand<A>.rank>::type{}, x);
    } else if constexpr (std::is_same_v<Order, order_minus_infinity_t>) {
        return detail::apply(detail::least_size_fn<form>{}, x);
    } else {
        return tx::norm<Axes...>(x, order, options...);
    }
}

} // namespace TRACEXPR_CALLS
} // namespace linalg
} // namespace tx
