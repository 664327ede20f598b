// This file holds reductions over the elements that are not NaN, except nansum, nanmax and nanmin, which are in reductions.hpp.
// They are called as all reductions are.
#pragma once

#include <tracexpr/trace/reductions.hpp>

#include <limits>

namespace tx {
namespace detail {

// Replaces NaN by `value`.
template <class A> constexpr auto without_nan(A const& a, int value) {
    using T = typename A::value_type;
    if constexpr (is_inexact(dtype_of<T>)) return where(isnan(a), static_cast<T>(static_cast<real_type<T>>(value)), a);
    else return a;
}
template <class Form> struct nanprod_fn {
    template <class A> constexpr auto operator()(A const& a) const { return total_fn<op::prod, Form>{}(without_nan(a, 1)); }
};
// Counts the elements that are not NaN, in dtype T.
template <class T, class Form, class A> constexpr auto present_count(A const& a) {
    return cast_to<T>(count_fn<Form>{}(logical_not(isnan(a))));
}
template <class Form> struct nanmean_fn {
    static constexpr char const* called = "nanmean";
    template <class A> constexpr auto operator()(A const& a) const {
        using T = typename A::value_type;
        if constexpr (!is_inexact(dtype_of<T>)) {
            return mean_fn<Form>{}(a);
        } else {
            using accumulator = mean_sum_type<T>;
            auto const x = cast_to<accumulator>(a);
            return cast_to<T>(record_reduction<op::sum, Form>(without_nan(x, 0)) /
                              present_count<real_type<accumulator>, Form>(x));
        }
    }
};
// Computes what deviation_fn does without the NaNs; it gives NaN where no more than Delta elements are left.
template <class Form, int Delta, bool Root> struct nan_deviation_fn {
    static constexpr char const* called = Root ? "nanstd" : "nanvar";
    template <class A> constexpr auto operator()(A const& a) const {
        using T = typename A::value_type;
        if constexpr (!is_inexact(dtype_of<T>)) {
            return deviation_fn<Form, Delta, Root>{}(a);
        } else {
            using accumulator = mean_sum_type<T>;
            using real_accumulator = real_type<accumulator>;
            auto const x = cast_to<accumulator>(a);
            auto const deviations = where(isnan(x), accumulator(0), x - nanmean_fn<typename Form::kept>{}(x));
            auto const total = record_reduction<op::sum, Form>(squared_magnitude(deviations));
            auto const left = present_count<real_accumulator, Form>(x) - static_cast<real_accumulator>(Delta);
            auto const none = left <= 0;
            auto const variance = where(none, std::numeric_limits<double>::quiet_NaN(), total / where(none, 1, left));
            if constexpr (Root) return cast_to<real_type<T>>(root_of_squares(variance));
            else return cast_to<real_type<T>>(variance);
        }
    }
};
template <op Code, class Form> struct nan_place_fn {
    static constexpr char const* called = Code == op::argmax ? "nanargmax" : "nanargmin";
    template <class A> constexpr auto operator()(A const& a) const {
        using T = typename A::value_type;
        if constexpr (!is_floating(dtype_of<T>)) {
            return place_fn<Code, Form>{}(a);
        } else {
            constexpr double infinity = std::numeric_limits<double>::infinity();
            auto const missing = isnan(a);
            auto const place = place_fn<Code, Form>{}(where(missing, Code == op::argmax ? -infinity : infinity, a));
            // Where all numbers are infinite the search may find a NaN, which counts as infinite, too; the place of the first
            // number is then the answer, as no place found otherwise lies before it.
            auto const first = place_fn<op::argmin, Form>{}(cast_to<std::int32_t>(missing));
            return where(record_reduction<op::min, Form>(missing), std::int64_t{-1}, maximum(place, first));
        }
    }
};

} // namespace detail

inline namespace TRACEXPR_CALLS {

// Gives the product of the elements that are not NaN; it is 1 where all are NaN.
template <int... Axes, array_operand A, detail::reduction_option... Options>
[[nodiscard]] constexpr auto nanprod(A const& x, Options...) {
    using form = detail::form_of<axes_t<Axes...>, Options...>;
    constexpr bool fits = detail::axes_fit<form, A>;
    static_assert(fits, "tx: nanprod: axes must differ and lie within the rank of x; negative ones count from the end");
    return detail::apply_if<fits>(detail::nanprod_fn<form>{}, x);
}
// Gives the mean of the elements that are not NaN; it is NaN where all are NaN.
template <int... Axes, array_operand A, detail::reduction_option... Options>
[[nodiscard]] constexpr auto nanmean(A const& x, Options...) {
    using form = detail::form_of<axes_t<Axes...>, Options...>;
    constexpr bool fits = detail::axes_fit<form, A>;
    static_assert(fits, "tx: nanmean: axes must differ and lie within the rank of x; negative ones count from the end");
    return detail::apply_if<fits>(detail::nanmean_fn<form>{}, x);
}
// Gives the variance of the elements that are not NaN: the mean of the squared distances from their mean. With tx::ddof<1> the
// sum is divided by n - 1 instead of n. The variance is NaN where no more than ddof elements are numbers.
template <int... Axes, array_operand A, detail::deviation_option... Options>
[[nodiscard]] constexpr auto nanvar(A const& x, Options...) {
    using form = detail::form_of<axes_t<Axes...>, Options...>;
    constexpr bool fits = detail::axes_fit<form, A>;
    static_assert(fits, "tx: nanvar: axes must differ and lie within the rank of x; negative ones count from the end");
    return detail::apply_if<fits>(detail::nan_deviation_fn<form, detail::ddof_of<Options...>, false>{}, x);
}
// Gives the square root of nanvar. Where it is 0, its derivative is 0.
template <int... Axes, array_operand A, detail::deviation_option... Options>
[[nodiscard]] constexpr auto nanstd(A const& x, Options...) {
    using form = detail::form_of<axes_t<Axes...>, Options...>;
    constexpr bool fits = detail::axes_fit<form, A>;
    static_assert(fits, "tx: nanstd: axes must differ and lie within the rank of x; negative ones count from the end");
    return detail::apply_if<fits>(detail::nan_deviation_fn<form, detail::ddof_of<Options...>, true>{}, x);
}
// Gives the place of the largest element that is not NaN, the first of equal ones, as int64; it is -1 where all are NaN, as in
// JAX (NumPy raises an error). It takes one axis, or none for the place in row-major order.
template <int... Axes, array_operand A, detail::reduction_option... Options>
[[nodiscard]] constexpr auto nanargmax(A const& x, Options...) {
    using form = detail::form_of<axes_t<Axes...>, Options...>;
    constexpr bool fits = detail::is_real_operand<A> && detail::one_axis_at_most<form> && detail::axes_fit<form, A>;
    constexpr bool has_elements = detail::has_elements<op::argmax, form, A>;
    static_assert(fits, "tx: nanargmax: takes real numbers and one axis within the rank of x, or none");
    static_assert(has_elements, "tx: nanargmax: must not reduce an axis of extent 0; the shape of x stands in the note");
    return detail::apply_if<(fits && has_elements)>(detail::nan_place_fn<op::argmax, form>{}, x);
}
// Gives the place of the smallest element that is not NaN, the first of equal ones, as int64; it is -1 where all are NaN.
template <int... Axes, array_operand A, detail::reduction_option... Options>
[[nodiscard]] constexpr auto nanargmin(A const& x, Options...) {
    using form = detail::form_of<axes_t<Axes...>, Options...>;
    constexpr bool fits = detail::is_real_operand<A> && detail::one_axis_at_most<form> && detail::axes_fit<form, A>;
    constexpr bool has_elements = detail::has_elements<op::argmin, form, A>;
    static_assert(fits, "tx: nanargmin: takes real numbers and one axis within the rank of x, or none");
    static_assert(has_elements, "tx: nanargmin: must not reduce an axis of extent 0; the shape of x stands in the note");
    return detail::apply_if<(fits && has_elements)>(detail::nan_place_fn<op::argmin, form>{}, x);
}

} // namespace TRACEXPR_CALLS
} // namespace tx
