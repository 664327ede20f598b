// This file holds scans, running reductions along an axis; their dtypes are those of the reductions.
#pragma once

#include <tracexpr/trace/reductions.hpp>

namespace tx {
namespace detail {

template <op Code, int... Axis> struct scan_rule {
    static constexpr op code = Code;
    static constexpr attribute_list attributes(dims const& d) {
        // without an axis it is -1, which fits no shape
        return sizeof...(Axis) == 1 ? normalized_axes(d.rank, Axis...) : attribute_list(-1);
    }
};
// Without an axis the scan runs over the elements in row-major order.
template <op Code, int... Axis> struct scan_fn : ruled_op<scan_fn<Code, Axis...>> {
    template <class A> using rule = std::conditional_t<sizeof...(Axis) == 0, scan_rule<Code, 0>, scan_rule<Code, Axis...>>;
    template <class A> static constexpr ruled_form form = [] {
        using T = typename A::value_type;
        constexpr bool sums = Code == op::cumsum || Code == op::cumprod;
        constexpr dtype accumulator = dtype_of<std::conditional_t<sums, sum_type<T>, T>>;
        return ruled_form{Code, accumulator, accumulator, is_inexact(dtype_of<T>) ? dtype_of<T> : accumulator,
                          sizeof...(Axis) == 0};
    }();
    template <class A> constexpr auto operator()(A const& a) const { return scan_fn::recorded(a); }
};
template <class A, int... Axis> inline constexpr bool scan_fits = sizeof...(Axis) == 0 || fits<scan_rule<op::cumsum, Axis...>, A>;

} // namespace detail

inline namespace TRACEXPR_CALLS {

// The sum of the elements so far along an axis: cumsum(x, tx::axis<1>) or cumsum<1>(x); without an axis, over the elements in
// row-major order.
template <int... Axis, array_operand A> [[nodiscard]] constexpr auto cumsum(A const& x, axes_t<Axis...> = {}) {
    constexpr bool fits = detail::scan_fits<A, Axis...>;
    static_assert(fits, "tx: cumsum: takes one axis within the rank of x; negative ones count from the end");
    return detail::apply_if<fits>(detail::scan_fn<op::cumsum, Axis...>{}, x);
}
// The product of the elements so far along an axis; without an axis, over the elements in row-major order.
template <int... Axis, array_operand A> [[nodiscard]] constexpr auto cumprod(A const& x, axes_t<Axis...> = {}) {
    constexpr bool fits = detail::scan_fits<A, Axis...>;
    static_assert(fits, "tx: cumprod: takes one axis within the rank of x; negative ones count from the end");
    return detail::apply_if<fits>(detail::scan_fn<op::cumprod, Axis...>{}, x);
}
// The greatest element so far along an axis, NaN from the first NaN on; without an axis, over the elements in row-major order.
template <int... Axis, array_operand A> [[nodiscard]] constexpr auto cummax(A const& x, axes_t<Axis...> = {}) {
    constexpr bool is_real = detail::is_real_operand<A>;
    constexpr bool fits = detail::scan_fits<A, Axis...>;
    static_assert(is_real, "tx: cummax: complex numbers have no order; use tx::abs(x) or tx::real(x)");
    static_assert(fits, "tx: cummax: takes one axis within the rank of x; negative ones count from the end");
    return detail::apply_if<(is_real && fits)>(detail::scan_fn<op::cummax, Axis...>{}, x);
}
// The least element so far along an axis, NaN from the first NaN on; without an axis, over the elements in row-major order.
template <int... Axis, array_operand A> [[nodiscard]] constexpr auto cummin(A const& x, axes_t<Axis...> = {}) {
    constexpr bool is_real = detail::is_real_operand<A>;
    constexpr bool fits = detail::scan_fits<A, Axis...>;
    static_assert(is_real, "tx: cummin: complex numbers have no order; use tx::abs(x) or tx::real(x)");
    static_assert(fits, "tx: cummin: takes one axis within the rank of x; negative ones count from the end");
    return detail::apply_if<(is_real && fits)>(detail::scan_fn<op::cummin, Axis...>{}, x);
}

} // namespace TRACEXPR_CALLS
} // namespace tx
