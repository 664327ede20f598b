// This file holds reductions, with NumPy's dtypes: sums and products of integers are computed in 64 bits, means of integers in
// float64; reductions of float16 and bfloat16 are computed in float32 and rounded once.
//
// Every reduction f is called as f(x), f(x, tx::axis<0, -1>), f(x, tx::axis<1>, tx::keepdims), f(x, tx::keepdims), f<0, -1>(x),
// f<1>(x, tx::keepdims).
#pragma once

#include <tracexpr/trace/axes.hpp>
#include <tracexpr/trace/complex_parts.hpp>

namespace tx {

// The divisor of var and std is n - Delta.
template <int Delta> struct ddof_t {};
// An argument of var and std: with tx::ddof<1> they divide by n - 1.
template <int Delta> inline constexpr ddof_t<Delta> ddof{};

namespace detail {

enum class over { axes, all };
enum class reduced_axes { go, stay }; // reduced axes are removed, or stay with extent 1
template <over What, reduced_axes Then, int... Axes> struct reduction_form {
    static constexpr bool all = What == over::all, keep = Then == reduced_axes::stay;
    using kept = reduction_form<What, reduced_axes::stay, Axes...>;
    static constexpr attribute_list axes(dims const& d) {
        if (all) return every_axis(d.rank);
        attribute_list out = normalized_axes(d.rank, Axes...);
        out.sort();
        return out;
    }
    static constexpr attribute_list attributes(dims const& d) {
        attribute_list const reduced = axes(d);
        attribute_list out(keep);
        for (std::size_t i = 0; i < reduced.count; ++i) out.push_back(reduced[i]);
        return out;
    }
};

template <class Option> inline constexpr bool is_reduction_option = false;
template <int... Axes> inline constexpr bool is_reduction_option<axes_t<Axes...>> = true;
template <> inline constexpr bool is_reduction_option<keepdims_t> = true;
template <class Option> concept reduction_option = is_reduction_option<Option>;
template <class Option> inline constexpr bool is_ddof = false;
template <int Delta> inline constexpr bool is_ddof<ddof_t<Delta>> = true;
template <class Option> concept deviation_option = reduction_option<Option> || is_ddof<Option>;

template <class Form, class... Options> struct parsed_form {
    using type = Form;
};
template <over What, reduced_axes Then, int... Axes, int... Given, class... Rest>
struct parsed_form<reduction_form<What, Then, Axes...>, axes_t<Given...>, Rest...>
    : parsed_form<reduction_form<over::axes, Then, Given...>, Rest...> {
    static_assert(What == over::all, "tx: a reduction takes its axes once: tx::axis<0, 1>");
};
template <over What, reduced_axes Then, int... Axes, class... Rest>
struct parsed_form<reduction_form<What, Then, Axes...>, keepdims_t, Rest...>
    : parsed_form<reduction_form<What, reduced_axes::stay, Axes...>, Rest...> {};
template <class Form, int Delta, class... Rest> struct parsed_form<Form, ddof_t<Delta>, Rest...> : parsed_form<Form, Rest...> {};
template <class First, class... Options> struct form_of_axes;
template <int... Axes, class... Options> struct form_of_axes<axes_t<Axes...>, Options...>
    : parsed_form<reduction_form<sizeof...(Axes) == 0 ? over::all : over::axes, reduced_axes::go, Axes...>, Options...> {};
// The form of a reduction, given by the template arguments of the call and its options.
template <class First, class... Options> using form_of = typename form_of_axes<First, Options...>::type;
template <class... Options> inline constexpr int ddof_of = 0;
template <int Delta, class... Rest> inline constexpr int ddof_of<ddof_t<Delta>, Rest...> = Delta;
template <class First, class... Rest> inline constexpr int ddof_of<First, Rest...> = ddof_of<Rest...>;

template <op Code, class Form> struct reduction_rule {
    static constexpr op code = Code;
    static constexpr attribute_list attributes(dims const& d) { return Form::attributes(d); }
};
// The elements of a shape of unknown rank are reduced over all axes after flattening.
template <class Form, class A> inline constexpr bool reduces_in_a_row = Form::all && !Form::keep && dims_of_operand<A>.rank < 0;
template <class A> constexpr auto in_a_row(A const& a) {
    node_id const operand[]{a.id()};
    return record<expr<typename A::value_type, shape<dyn>>>(a.scope(), op::reshape, operand, attribute_list(-1));
}
template <op Code, class Form, class A> constexpr auto record_reduction(A const& a) {
    if constexpr (reduces_in_a_row<Form, A>) {
        auto const total = record_rule<reduction_rule<Code, reduction_form<over::axes, reduced_axes::go, 0>>>(in_a_row(a));
        return expr<typename A::value_type, any_shape>(total.scope(), total.id());
    } else return record_rule<reduction_rule<Code, Form>>(a);
}
template <class Form, class A> inline constexpr bool axes_fit = fits<reduction_rule<op::sum, Form>, A>;
// Does the type leave an element in each row that is reduced? (Axes that don't fit are reported elsewhere.) max and the like need
// an element for bool, too, where the op itself, which any and all share, does not.
template <op Code, class Form, class A> inline constexpr bool has_elements = [] {
    constexpr dims d = dims_of_operand<A>;
    if (d.rank < 0 || !axes_fit<Form, A>) return true;
    return empty_reduction_problem(Code, dtype::float64, d, Form::attributes(d)) == nullptr;
}();
template <class A> inline constexpr bool is_real_operand = !is_complex(dtype_of_operand<A>);
template <class A> inline constexpr bool holds_numbers = dtype_of_operand<A> != dtype::string;

// The type in which sums are computed.
template <class T> using sum_type =
    std::conditional_t<is_inexact(dtype_of<T>), std::conditional_t<(size_in_bytes(dtype_of<T>) < 4), float, T>,
                       std::conditional_t<is_unsigned_integer(dtype_of<T>), std::uint64_t, std::int64_t>>;
// The type in which means are computed; they are returned in mean_type.
template <class T> using mean_sum_type = std::conditional_t<is_inexact(dtype_of<T>), sum_type<T>, double>;
template <class T> using mean_type = std::conditional_t<is_inexact(dtype_of<T>), T, double>;
template <class T> using real_type = ctype<real_part(dtype_of<T>)>;

// The form of a reduction after flattening, where it flattens; else Form.
template <class Form, class A> using row_or =
    std::conditional_t<reduces_in_a_row<Form, A>, reduction_form<over::axes, reduced_axes::go, 0>, Form>;
template <op Code, class Form> struct total_fn : ruled_op<total_fn<Code, Form>> {
    template <class A> using rule = reduction_rule<Code, row_or<Form, A>>;
    template <class A> static constexpr ruled_form form = [] {
        using T = typename A::value_type;
        constexpr dtype accumulator = dtype_of<sum_type<T>>;
        return ruled_form{Code, accumulator, accumulator, is_inexact(dtype_of<T>) ? dtype_of<T> : accumulator,
                          reduces_in_a_row<Form, A>};
    }();
    template <class A> constexpr auto operator()(A const& a) const { return total_fn::recorded(a); }
};
template <class Form> struct nansum_fn {
    template <class A> constexpr auto operator()(A const& a) const {
        using T = typename A::value_type;
        if constexpr (is_inexact(dtype_of<T>)) return total_fn<op::sum, Form>{}(where(isnan(a), T(0), a));
        else return total_fn<op::sum, Form>{}(a);
    }
};
// Bool is reduced as an 8-bit integer, for which the largest of no elements is an error.
template <op Code, class Form> struct extreme_fn : ruled_op<extreme_fn<Code, Form>> {
    template <class A> using rule = reduction_rule<Code, row_or<Form, A>>;
    template <class A> static constexpr ruled_form form = [] {
        constexpr dtype type = dtype_of_operand<A>, computed = type == dtype::boolean ? dtype::uint8 : type;
        return ruled_form{Code, computed, computed, type, reduces_in_a_row<Form, A>};
    }();
    template <class A> constexpr auto operator()(A const& a) const { return extreme_fn::recorded(a); }
};
TRACEXPR_ONCE constexpr std::int64_t size_along(dims const& d, attribute_list const& axes) {
    if (d.rank < 0) return dyn;
    dims along;
    for (std::size_t i = 0; i < axes.count && i < max_rank; ++i)
        if (axes[i] >= 0 && axes[i] < d.rank) along.push_back(d[static_cast<int>(axes[i])]);
    return along.size();
}
template <op Code, class Form> struct truth_fn : ruled_op<truth_fn<Code, Form>> {
    static constexpr char const* called = Code == op::max ? "any" : "all";
    template <class A> using rule = reduction_rule<Code, row_or<Form, A>>;
    template <class A>
    static constexpr ruled_form form{Code, dtype::boolean, dtype::boolean, dtype::boolean, reduces_in_a_row<Form, A>};
    template <class A> constexpr auto operator()(A const& a) const { return truth_fn::recorded(a); }
};
template <class Form> struct count_fn {
    static constexpr char const* called = "count_nonzero";
    template <class A> constexpr auto operator()(A const& a) const {
        return record_reduction<op::sum, Form>(cast_to<std::int64_t>(cast_to<bool>(a)));
    }
};

// Gives how many elements each result is reduced from, minus Less but not below 0: a number, or an expr where extents are open.
template <class T, class Form, int Less = 0, class A> constexpr auto element_count(A const& a) {
    constexpr dims d = dims_of<typename A::shape_type>;
    constexpr std::int64_t count = size_along(d, Form::axes(d));
    if constexpr (count != dyn) {
        return static_cast<double>(count > Less ? count - Less : 0);
    } else if constexpr (reduces_in_a_row<Form, A>) {
        return element_count<T, reduction_form<over::axes, reduced_axes::go, 0>, Less>(in_a_row(a));
    } else {
        if (d.rank < 0 && a.rank() < 0) throw_unknown_rank(op::axis_size);
        node_id const operand[]{a.id()};
        auto const n = record<expr<T, shape<>>>(a.scope(), op::axis_size, operand, Form::axes(a.dimensions()));
        if constexpr (Less == 0) return n;
        else return maximum(n - static_cast<double>(Less), 0.0);
    }
}

template <class Form> struct mean_fn {
    static constexpr char const* called = "mean";
    template <class A> constexpr auto operator()(A const& a) const {
        using T = typename A::value_type;
        auto const x = cast_to<mean_sum_type<T>>(a);
        auto const total = record_reduction<op::sum, Form>(x);
        return cast_to<mean_type<T>>(total / element_count<real_type<mean_sum_type<T>>, Form>(x));
    }
};

template <class A> constexpr auto squared_magnitude(A const& a) {
    if constexpr (is_complex(dtype_of<typename A::value_type>)) return real(a * conj(a));
    else return square(a);
}

// The root of a sum of squares. Where the sum is 0 its derivatives are 0, though the root's slope is infinite there.
template <class A> constexpr auto root_of_squares(A const& sum) { return where(sum == 0, 0, sqrt(sum)); }

// The mean of |x - mean|^2 takes two passes over x, which avoids cancellation.
template <class Form, int Delta, bool Root> struct deviation_fn {
    static constexpr char const* called = Root ? "std" : "var";
    template <class A> constexpr auto operator()(A const& a) const {
        using T = typename A::value_type;
        using accumulator = mean_sum_type<T>;
        auto const x = cast_to<accumulator>(a);
        auto const deviations = x - mean_fn<typename Form::kept>{}(x);
        auto const total = record_reduction<op::sum, Form>(squared_magnitude(deviations));
        auto const variance = total / element_count<real_type<accumulator>, Form, Delta>(x);
        if constexpr (Root) return cast_to<real_type<mean_type<T>>>(root_of_squares(variance));
        else return cast_to<real_type<mean_type<T>>>(variance);
    }
};

// The place of the largest or smallest element, the first of equal ones: along one axis, or without an axis in row-major order.
template <op Code, reduced_axes Then, int... Axis> struct place_rule {
    static constexpr op code = Code;
    static constexpr attribute_list attributes(dims const& d) {
        attribute_list out(Then == reduced_axes::stay);
        (out.push_back(normalized_axis(Axis, d.rank)), ...);
        return out;
    }
};
template <op Code, class Form> struct place_fn;
template <op Code, reduced_axes Then, int... Axes> struct place_fn<Code, reduction_form<over::axes, Then, Axes...>>
    : ruled_op<place_fn<Code, reduction_form<over::axes, Then, Axes...>>> {
    template <class A> using rule = place_rule<Code, Then, Axes...>;
    template <class A> static constexpr ruled_form form{Code, dtype_of_operand<A>, dtype::int64, dtype::int64};
    template <class A> constexpr auto operator()(A const& a) const { return place_fn::recorded(a); }
};
template <op Code> struct place_fn<Code, reduction_form<over::all, reduced_axes::go>>
    : ruled_op<place_fn<Code, reduction_form<over::all, reduced_axes::go>>> {
    template <class A> using rule = place_rule<Code, reduced_axes::go, 0>;
    template <class A> static constexpr ruled_form form{Code, dtype_of_operand<A>, dtype::int64, dtype::int64, true};
    template <class A> constexpr auto operator()(A const& a) const { return place_fn::recorded(a); }
};
template <op Code> struct place_fn<Code, reduction_form<over::all, reduced_axes::stay>> {
    template <class A> constexpr auto operator()(A const& a) const {
        auto const place = place_fn<Code, reduction_form<over::all, reduced_axes::go>>{}(a);
        constexpr int rank = dims_of_operand<A>.rank;
        if constexpr (rank >= 0) return ones(place, std::make_integer_sequence<int, rank>{});
        else return with_rank(place, a.rank());
    }
    template <class A, int... Axes> static constexpr auto ones(A const& a, std::integer_sequence<int, Axes...>) {
        return record_rule<expand_rule<Axes...>>(a);
    }
    template <class A> static constexpr auto with_rank(A const& a, int rank) {
        node_id const operand[]{a.id()};
        return record<A>(a.scope(), op::expand_dims, operand, every_axis(rank));
    }
};
template <class Form> inline constexpr bool one_axis_at_most = false;
template <reduced_axes Then, int... Axes> inline constexpr bool one_axis_at_most<reduction_form<over::axes, Then, Axes...>> =
    sizeof...(Axes) == 1;
template <reduced_axes Then> inline constexpr bool one_axis_at_most<reduction_form<over::all, Then>> = true;

} // namespace detail

inline namespace TRACEXPR_CALLS {

// The sum over the axes; 0 where there are no elements.
template <int... Axes, array_operand A, detail::reduction_option... Options>
[[nodiscard]] constexpr auto sum(A const& x, Options...) {
    using form = detail::form_of<axes_t<Axes...>, Options...>;
    constexpr bool fits = detail::axes_fit<form, A>;
    static_assert(fits, "tx: sum: axes must differ and lie within the rank of x; negative ones count from the end");
    return detail::apply_if<fits>(detail::total_fn<op::sum, form>{}, x);
}
// The sum of the elements that are not NaN; 0 where all are NaN.
template <int... Axes, array_operand A, detail::reduction_option... Options>
[[nodiscard]] constexpr auto nansum(A const& x, Options...) {
    using form = detail::form_of<axes_t<Axes...>, Options...>;
    constexpr bool fits = detail::axes_fit<form, A>;
    static_assert(fits, "tx: nansum: axes must differ and lie within the rank of x; negative ones count from the end");
    return detail::apply_if<fits>(detail::nansum_fn<form>{}, x);
}
// The product over the axes; 1 where there are no elements.
template <int... Axes, array_operand A, detail::reduction_option... Options>
[[nodiscard]] constexpr auto prod(A const& x, Options...) {
    using form = detail::form_of<axes_t<Axes...>, Options...>;
    constexpr bool fits = detail::axes_fit<form, A>;
    static_assert(fits, "tx: prod: axes must differ and lie within the rank of x; negative ones count from the end");
    return detail::apply_if<fits>(detail::total_fn<op::prod, form>{}, x);
}
// The mean over the axes; NaN where there are no elements.
template <int... Axes, array_operand A, detail::reduction_option... Options>
[[nodiscard]] constexpr auto mean(A const& x, Options...) {
    using form = detail::form_of<axes_t<Axes...>, Options...>;
    constexpr bool fits = detail::axes_fit<form, A>;
    static_assert(fits, "tx: mean: axes must differ and lie within the rank of x; negative ones count from the end");
    return detail::apply_if<fits>(detail::mean_fn<form>{}, x);
}
// The variance: the mean of the squared distances from the mean. With tx::ddof<1> the sum is divided by n - 1 instead of n.
template <int... Axes, array_operand A, detail::deviation_option... Options>
[[nodiscard]] constexpr auto var(A const& x, Options...) {
    using form = detail::form_of<axes_t<Axes...>, Options...>;
    constexpr bool fits = detail::axes_fit<form, A>;
    static_assert(fits, "tx: var: axes must differ and lie within the rank of x; negative ones count from the end");
    return detail::apply_if<fits>(detail::deviation_fn<form, detail::ddof_of<Options...>, false>{}, x);
}
// The square root of var. Where it is 0, its derivative is 0.
template <int... Axes, array_operand A, detail::deviation_option... Options>
[[nodiscard]] constexpr auto std(A const& x, Options...) {
    using form = detail::form_of<axes_t<Axes...>, Options...>;
    constexpr bool fits = detail::axes_fit<form, A>;
    static_assert(fits, "tx: std: axes must differ and lie within the rank of x; negative ones count from the end");
    return detail::apply_if<fits>(detail::deviation_fn<form, detail::ddof_of<Options...>, true>{}, x);
}
// The greatest element; NaN where an element is NaN. Throws shape_error for an axis without elements.
template <int... Axes, array_operand A, detail::reduction_option... Options>
[[nodiscard]] constexpr auto max(A const& x, Options...) {
    using form = detail::form_of<axes_t<Axes...>, Options...>;
    constexpr bool is_real = detail::is_real_operand<A>;
    constexpr bool fits = detail::axes_fit<form, A>;
    constexpr bool has_elements = detail::has_elements<op::max, form, A>;
    static_assert(is_real, "tx: max: complex numbers have no order; take the maximum of tx::abs(x) or tx::real(x)");
    static_assert(fits, "tx: max: axes must differ and lie within the rank of x; negative ones count from the end");
    static_assert(has_elements, "tx: max: must not reduce an axis of extent 0; the shape of x stands in the note");
    return detail::apply_if<(is_real && fits && has_elements)>(detail::extreme_fn<op::max, form>{}, x);
}
// The least element; NaN where an element is NaN. Throws shape_error for an axis without elements.
template <int... Axes, array_operand A, detail::reduction_option... Options>
[[nodiscard]] constexpr auto min(A const& x, Options...) {
    using form = detail::form_of<axes_t<Axes...>, Options...>;
    constexpr bool is_real = detail::is_real_operand<A>;
    constexpr bool fits = detail::axes_fit<form, A>;
    constexpr bool has_elements = detail::has_elements<op::min, form, A>;
    static_assert(is_real, "tx: min: complex numbers have no order; take the minimum of tx::abs(x) or tx::real(x)");
    static_assert(fits, "tx: min: axes must differ and lie within the rank of x; negative ones count from the end");
    static_assert(has_elements, "tx: min: must not reduce an axis of extent 0; the shape of x stands in the note");
    return detail::apply_if<(is_real && fits && has_elements)>(detail::extreme_fn<op::min, form>{}, x);
}
// The greatest of the elements that are not NaN; NaN where all are NaN.
template <int... Axes, array_operand A, detail::reduction_option... Options>
[[nodiscard]] constexpr auto nanmax(A const& x, Options...) {
    using form = detail::form_of<axes_t<Axes...>, Options...>;
    constexpr op code = is_floating(detail::dtype_of_operand<A>) ? op::nanmax : op::max;
    constexpr bool is_real = detail::is_real_operand<A>;
    constexpr bool fits = detail::axes_fit<form, A>;
    constexpr bool has_elements = detail::has_elements<code, form, A>;
    static_assert(is_real, "tx: nanmax: complex numbers have no order; take the maximum of tx::abs(x) or tx::real(x)");
    static_assert(fits, "tx: nanmax: axes must differ and lie within the rank of x; negative ones count from the end");
    static_assert(has_elements, "tx: nanmax: must not reduce an axis of extent 0; the shape of x stands in the note");
    return detail::apply_if<(is_real && fits && has_elements)>(detail::extreme_fn<code, form>{}, x);
}
// The least of the elements that are not NaN; NaN where all are NaN.
template <int... Axes, array_operand A, detail::reduction_option... Options>
[[nodiscard]] constexpr auto nanmin(A const& x, Options...) {
    using form = detail::form_of<axes_t<Axes...>, Options...>;
    constexpr op code = is_floating(detail::dtype_of_operand<A>) ? op::nanmin : op::min;
    constexpr bool is_real = detail::is_real_operand<A>;
    constexpr bool fits = detail::axes_fit<form, A>;
    constexpr bool has_elements = detail::has_elements<code, form, A>;
    static_assert(is_real, "tx: nanmin: complex numbers have no order; take the minimum of tx::abs(x) or tx::real(x)");
    static_assert(fits, "tx: nanmin: axes must differ and lie within the rank of x; negative ones count from the end");
    static_assert(has_elements, "tx: nanmin: must not reduce an axis of extent 0; the shape of x stands in the note");
    return detail::apply_if<(is_real && fits && has_elements)>(detail::extreme_fn<code, form>{}, x);
}
// Is any element other than 0? False where there are no elements.
template <int... Axes, array_operand A, detail::reduction_option... Options>
[[nodiscard]] constexpr auto any(A const& x, Options...) {
    using form = detail::form_of<axes_t<Axes...>, Options...>;
    constexpr bool fits = detail::axes_fit<form, A>;
    static_assert(fits, "tx: any: axes must differ and lie within the rank of x; negative ones count from the end");
    return detail::apply_if<fits>(detail::truth_fn<op::max, form>{}, x);
}
// Are all elements other than 0? True where there are no elements.
template <int... Axes, array_operand A, detail::reduction_option... Options>
[[nodiscard]] constexpr auto all(A const& x, Options...) {
    using form = detail::form_of<axes_t<Axes...>, Options...>;
    constexpr bool fits = detail::axes_fit<form, A>;
    static_assert(fits, "tx: all: axes must differ and lie within the rank of x; negative ones count from the end");
    return detail::apply_if<fits>(detail::truth_fn<op::min, form>{}, x);
}
// How many elements are not 0, as int64.
template <int... Axes, array_operand A, detail::reduction_option... Options>
[[nodiscard]] constexpr auto count_nonzero(A const& x, Options...) {
    using form = detail::form_of<axes_t<Axes...>, Options...>;
    constexpr bool fits = detail::axes_fit<form, A>;
    static_assert(fits, "tx: count_nonzero: axes must differ and lie within the rank of x; negative ones count from the end");
    return detail::apply_if<fits>(detail::count_fn<form>{}, x);
}

// The place of the largest element, the first of equal ones, as int64; NaN counts as larger than all. Without an axis it is the
// place in row-major order.
template <int... Axes, array_operand A, detail::reduction_option... Options>
[[nodiscard]] constexpr auto argmax(A const& x, Options...) {
    using form = detail::form_of<axes_t<Axes...>, Options...>;
    constexpr bool is_real = detail::is_real_operand<A>;
    constexpr bool is_one_axis = detail::one_axis_at_most<form>;
    constexpr bool fits = detail::axes_fit<form, A>;
    constexpr bool has_elements = detail::has_elements<op::argmax, form, A>;
    static_assert(is_real, "tx: argmax: complex numbers have no order; use tx::abs(x) or tx::real(x)");
    static_assert(is_one_axis, "tx: argmax: takes one axis, or none for the place in the flattened tensor");
    static_assert(fits, "tx: argmax: the axis must lie within the rank of x; negative ones count from the end");
    static_assert(has_elements, "tx: argmax: must not reduce an axis of extent 0; the shape of x stands in the note");
    return detail::apply_if<(is_real && is_one_axis && fits && has_elements)>(detail::place_fn<op::argmax, form>{}, x);
}
// The place of the smallest element, the first of equal ones, as int64; NaN counts as smaller than all. Without an axis it is the
// place in row-major order.
template <int... Axes, array_operand A, detail::reduction_option... Options>
[[nodiscard]] constexpr auto argmin(A const& x, Options...) {
    using form = detail::form_of<axes_t<Axes...>, Options...>;
    constexpr bool is_real = detail::is_real_operand<A>;
    constexpr bool is_one_axis = detail::one_axis_at_most<form>;
    constexpr bool fits = detail::axes_fit<form, A>;
    constexpr bool has_elements = detail::has_elements<op::argmin, form, A>;
    static_assert(is_real, "tx: argmin: complex numbers have no order; use tx::abs(x) or tx::real(x)");
    static_assert(is_one_axis, "tx: argmin: takes one axis, or none for the place in the flattened tensor");
    static_assert(fits, "tx: argmin: the axis must lie within the rank of x; negative ones count from the end");
    static_assert(has_elements, "tx: argmin: must not reduce an axis of extent 0; the shape of x stands in the note");
    return detail::apply_if<(is_real && is_one_axis && fits && has_elements)>(detail::place_fn<op::argmin, form>{}, x);
}

} // namespace TRACEXPR_CALLS
} // namespace tx
