// This file holds tx::norm, vector norms of any order.
#pragma once

#include <tracexpr/trace/reductions.hpp>

namespace tx {

// The order of a norm: the sum of |x| to the power P, to the power 1/P.
template <int P> struct order_t {};
// An argument of norm: tx::order<1> is the sum of |x|.
template <int P> inline constexpr order_t<P> order{};
// An argument of norm: the order infinity, which gives the greatest |x|.
enum order_infinity_t { order_inf };
// An argument of norm: an order that need not be an integer, tx::order_p(3.5).
struct order_p {
    double power;
    constexpr explicit order_p(double p) : power{p} {}
};

namespace detail {

enum class norm_kind { one, two, infinity, count, power };
template <norm_kind Kind, class Form> struct norm_fn {
    static constexpr char const* called = "norm";
    template <class A, class... Power> constexpr auto operator()(A const& a, Power const&... p) const {
        using T = typename A::value_type;
        using accumulator = mean_sum_type<T>;
        return cast_to<real_type<mean_type<T>>>(of(cast_to<accumulator>(a), p...));
    }
    // All derivatives of a norm are 0 where it is 0.
    template <class A, class... Power> static constexpr auto of(A const& x, Power const&... p) {
        if constexpr (Kind == norm_kind::two) return root_of_squares(total(squared_magnitude(x)));
        else if constexpr (Kind == norm_kind::infinity) return record_reduction<op::max, Form>(abs(x));
        else if constexpr (Kind == norm_kind::one) return total(abs(x));
        else if constexpr (Kind == norm_kind::count) return total(cast_to<real_type<typename A::value_type>>(cast_to<bool>(x)));
        else {
            // With a negative order the powers add up to 0 where all elements are infinite; the norm is then infinite.
            auto const powers = total(pow(abs(x), p...));
            return where(logical_and(powers == 0, (p * ...) > 0), 0, pow(powers, 1.0 / (p * ...)));
        }
    }
    template <class A> static constexpr auto total(A const& terms) { return record_reduction<op::sum, Form>(terms); }
};
TRACEXPR_ONCE constexpr norm_kind norm_kind_of(int p) {
    return p == 0 ? norm_kind::count : p == 1 ? norm_kind::one : p == 2 ? norm_kind::two : norm_kind::power;
}

} // namespace detail

inline namespace TRACEXPR_CALLS {

// A vector norm over the axes: order<2> by default, order<1>, order<P>, order_inf, order_p(3.5). Powers are not scaled and may
// leave the range of the dtype, as in NumPy; x / tx::norm(x, tx::order_inf) keeps them within it.
template <int... Axes, array_operand A, detail::reduction_option... Options>
[[nodiscard]] constexpr auto norm(A const& x, Options... options) {
    return norm<Axes...>(x, order<2>, options...);
}
template <int... Axes, array_operand A, int P, detail::reduction_option... Options>
[[nodiscard]] constexpr auto norm(A const& x, order_t<P>, Options...) {
    using form = detail::form_of<axes_t<Axes...>, Options...>;
    constexpr bool fits = detail::axes_fit<form, A>;
    static_assert(fits, "tx: norm: axes must differ and lie within the rank of x; negative ones count from the end");
    constexpr detail::norm_kind kind = detail::norm_kind_of(P);
    if constexpr (kind == detail::norm_kind::power)
        return detail::apply_if<fits>(detail::norm_fn<kind, form>{}, x, static_cast<double>(P));
    else return detail::apply_if<fits>(detail::norm_fn<kind, form>{}, x);
}
template <int... Axes, array_operand A, detail::reduction_option... Options>
[[nodiscard]] constexpr auto norm(A const& x, order_infinity_t, Options...) {
    using form = detail::form_of<axes_t<Axes...>, Options...>;
    constexpr bool fits = detail::axes_fit<form, A>;
    constexpr bool has_elements = detail::has_elements<op::max, form, A>;
    static_assert(fits, "tx: norm: axes must differ and lie within the rank of x; negative ones count from the end");
    static_assert(has_elements, "tx: norm: order_inf must not reduce an axis of extent 0; the shape of x stands in the note");
    return detail::apply_if<(fits && has_elements)>(detail::norm_fn<detail::norm_kind::infinity, form>{}, x);
}
template <int... Axes, array_operand A, detail::reduction_option... Options>
[[nodiscard]] constexpr auto norm(A const& x, order_p p, Options...) {
    using form = detail::form_of<axes_t<Axes...>, Options...>;
    constexpr bool fits = detail::axes_fit<form, A>;
    static_assert(fits, "tx: norm: axes must differ and lie within the rank of x; negative ones count from the end");
    if (p.power == 0 || p.power - p.power != 0)
        throw error("tx: norm: order_p takes a finite power other than 0; use tx::order<0> or tx::order_inf");
    return detail::apply_if<fits>(detail::norm_fn<detail::norm_kind::power, form>{}, x, p.power);
}

} // namespace TRACEXPR_CALLS
} // namespace tx
