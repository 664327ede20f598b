// This file holds medians and quantiles: an element at a place in the sorted order, or a value between two.
#pragma once

#include <tracexpr/trace/counting.hpp>
#include <tracexpr/trace/order_statistics.hpp>

namespace tx {
namespace detail {

constexpr void check_quantile(double q) {
    if (!(q >= 0 && q <= 1)) throw error("tx: quantile: q must lie between 0 and 1; given " + std::to_string(q));
}

// The axis of a form that has one. Where the form reduces all elements they are flattened, so the axis is 0.
template <class Form> inline constexpr int ordered_axis = 0;
template <reduced_axes Then, int Axis> inline constexpr int ordered_axis<reduction_form<over::axes, Then, Axis>> = Axis;

// Q is the rank of the places that are asked for; their axes come first in results.
template <class Form, int Q, bool IsMedian> struct quantile_steps {
    static constexpr int along = ordered_axis<Form>;
    using own_form = reduction_form<over::axes, reduced_axes::go, along>;

    template <class A> static constexpr auto rows_of(A const& a) {
        if constexpr (Form::all) return in_a_row(a);
        else return a;
    }
    template <class S> static constexpr int axis_of() { return normalized_axis(along, dims_of<typename S::shape_type>.rank); }

    // Gives the value at place `part`, from 0 to 1, between the first element and the last.
    template <class A, class P> static constexpr auto of(A const& a, P const& part) {
        using T = typename A::value_type;
        auto const rows = rows_of(a);
        auto const place = part * (element_count<mean_sum_type<T>, own_form>(rows) - 1.0);
        auto const before = floor(place);
        auto const rank = [](auto const& x) { return cast_to<std::int64_t>(x); };
        using find = built_fn<at_ranks_builder<along, IsMedian>>;
        auto const at = find{}(rows, rank(before), rank(ceil(place)), rank(full_like(place, -1.0)));
        auto const to_accumulator = [](auto const& x) { return cast_to<mean_sum_type<T>>(x); };
        auto const share = behind_each<decltype(rows)>(place - before);
        return finished<A>(a, between(to_accumulator(std::get<0>(at)), to_accumulator(std::get<1>(at)), share),
                           to_accumulator(std::get<2>(at)));
    }
    // Interpolates between two numbers; equal ones give that number, infinite ones, too.
    template <class V, class S> static constexpr auto between(V const& low, V const& high, S const& share) {
        if constexpr (IsMedian) {
            return low * 0.5 + high * 0.5;
        } else {
            auto const step = high - low;
            return where(isnan(step), high, where(share < 0.5, low + step * share, high - step * (1.0 - share)));
        }
    }
    // Appends an axis of extent 1 for each axis of x that follows the sorted one.
    template <class S, class P> static constexpr auto behind_each(P const& x) {
        if constexpr (Q == 0) return x;
        else return raised<Q>(x, std::make_integer_sequence<int, dims_of<typename S::shape_type>.rank - 1 - axis_of<S>()>{});
    }
    // Adds axes from number First on.
    template <int First, class V, int... I> static constexpr auto raised(V const& v, std::integer_sequence<int, I...>) {
        if constexpr (sizeof...(I) == 0) return v;
        else return record_rule<expand_rule<(First + I)...>>(v);
    }
    // Gives NaN where there is one, as NaN is the last in the order; and the dtype and the axes that the user asked for.
    template <class A, class V> static constexpr auto finished(A const& a, V const& value, V const& last) {
        using T = typename A::value_type;
        constexpr int rank = dims_of<typename A::shape_type>.rank;
        auto const v = cast_to<mean_type<T>>(where(isnan(last), last, value));
        if constexpr (Form::all) {
            if constexpr (!Form::keep) return v;
            else if constexpr (rank < 0) return place_fn<op::argmax, Form>::with_rank(v, a.rank());
            else return raised<Q>(v, std::make_integer_sequence<int, rank>{});
        } else {
            auto const moved = to_front<axis_of<A>()>(v, std::make_integer_sequence<int, Q>{});
            if constexpr (!Form::keep) return moved;
            else return record_rule<expand_rule<(rank < 0 ? along : Q + axis_of<A>())>>(moved);
        }
    }
    template <int From, class V, int... I> static constexpr auto to_front(V const& v, std::integer_sequence<int, I...>) {
        if constexpr (sizeof...(I) == 0 || From == 0) return v;
        else return moveaxis(v, axis<(From + I)...>, axis<I...>);
    }
};

template <class Form, bool IsMedian> struct quantile_fn {
    static constexpr char const* called = IsMedian ? "median" : "quantile";
    static void explain(dims const& x, dims const&) {
        if (!are_axes(Form::axes(x), x.rank)) return;
        if (char const* const problem = empty_reduction_problem(op::argmax, dtype::float64, x, Form::attributes(x)))
            throw_shape_error(called, problem, {&x, 1});
    }
    template <class A, class P> constexpr auto operator()(A const& a, P const& part) const {
        using accumulator = mean_sum_type<typename A::value_type>;
        auto const inside = minimum(maximum(as_expr<accumulator>(a.scope(), part), 0.0), 1.0);
        return quantile_steps<Form, dims_of<typename decltype(inside)::shape_type>.rank, IsMedian>::of(a, inside);
    }
};

template <class Form, class A> constexpr bool check_quantiles() {
    constexpr bool is_real = is_real_operand<A>;
    constexpr bool is_one_axis = one_axis_at_most<Form>;
    constexpr bool fits = axes_fit<Form, A>;
    constexpr bool has_elements = detail::has_elements<op::argmax, Form, A>;
    static_assert(is_real, "tx: median, quantile: complex numbers have no order; use tx::abs(x) or tx::real(x)");
    static_assert(is_one_axis, "tx: median, quantile: take one axis, or none for all elements");
    static_assert(fits, "tx: median, quantile: the axis must lie within the rank of x; negative ones count from the end");
    static_assert(has_elements, "tx: median, quantile: must not reduce an axis of extent 0; the shape of x stands in the note");
    return is_real && is_one_axis && fits && has_elements;
}

} // namespace detail

inline namespace TRACEXPR_CALLS {

// The element in the middle of the sorted order, or the mean of the two in the middle, over all elements or along an axis:
// median(x), median(x, tx::axis<0>, tx::keepdims). NaN where an element is NaN; float64 for integers.
template <int... Axes, array_operand A, detail::reduction_option... Options>
[[nodiscard]] constexpr auto median(A const& x, Options...) {
    using form = detail::form_of<axes_t<Axes...>, Options...>;
    return detail::apply_if<detail::check_quantiles<form, A>()>(detail::quantile_fn<form, true>{}, x, 0.5);
}
// The value at the fraction q, from 0 to 1, of the way from the least element to the greatest in sorted order; between two
// elements it is interpolated linearly, NumPy's default. quantile(x, 0.9), quantile(x, q, tx::axis<1>, tx::keepdims). The axes of
// a tensor q come first in the result; its elements outside of 0 to 1 count as 0 or 1. A C++ number outside throws error. NaN
// where an element is NaN.
template <int... Axes, array_operand A, operand Q, detail::reduction_option... Options>
[[nodiscard]] constexpr auto quantile(A const& x, Q const& q, Options...) {
    using form = detail::form_of<axes_t<Axes...>, Options...>;
    constexpr bool checks = detail::check_quantiles<form, A>();
    constexpr bool is_real = detail::is_real_operand<Q>;
    constexpr int rank = detail::dims_of_operand<Q>.rank;
    constexpr bool has_place =
        rank == 0 ||
        (rank > 0 && (form::all ? !form::keep || detail::dims_of_operand<A>.rank >= 0 : detail::dims_of_operand<A>.rank >= 0));
    static_assert(is_real, "tx: quantile: q must be real");
    static_assert(has_place, "tx: quantile: the type of q must tell its rank, and that of x, too, where q is no scalar");
    if constexpr (std::is_arithmetic_v<Q>) detail::check_quantile(static_cast<double>(q));
    return detail::apply_if<(checks && is_real && has_place)>(detail::quantile_fn<form, false>{}, x, q);
}

} // namespace TRACEXPR_CALLS
} // namespace tx
