// This file finds the smallest elements, topk with tx::smallest, and has unique and searchsorted for strings.
#pragma once

#include <tracexpr/arrays/factors.hpp>
#include <tracexpr/trace/choosing.hpp>
#include <tracexpr/trace/sorting.hpp>
#include <tracexpr/transforms/interpolate.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace tx {

// This is an argument of topk, which then gives the smallest elements in place of the greatest.
enum smallest_t { smallest };

namespace detail {

template <int Axis, std::int64_t Count> struct smallest_fn {
    static constexpr char const* called = "topk";
    template <class A> constexpr auto operator()(A const& given) const {
        auto const a = with_check<topk_check<Axis, Count>>(given, given);
        auto const places = record_rule_as<order_rule<op::argsort, Axis, direction::ascends, Count>, std::int64_t>(a);
        return std::pair{take_along_axis(a, places, axis<Axis>), places};
    }
};
template <class A> concept string_operand = array_operand<A> && dtype_of_operand<A> == dtype::string;

} // namespace detail

inline namespace TRACEXPR_CALLS {

// Gives the K smallest elements along an axis, the last by default, the smallest first, and their places as int64: auto const
// [values, places] = topk<3>(x, tx::smallest), topk<3>(x, tx::axis<0>, tx::smallest). Of equal elements the first comes first;
// NaN counts as greater than all numbers. Throws shape_error where there are fewer than K elements.
template <std::int64_t K, array_operand A, int Axis> [[nodiscard]] constexpr auto topk(A const& x, axes_t<Axis>, smallest_t) {
    constexpr bool is_real = detail::is_real_operand<A> && detail::holds_numbers<A>;
    constexpr bool fits = K >= 0 && detail::fits<detail::order_rule<op::argsort, Axis, detail::direction::ascends, K>, A>;
    static_assert(is_real, "tx: topk: takes numbers that have an order; use tx::abs(x) or tx::real(x) of complex ones");
    static_assert(fits, "tx: topk: takes one axis within the rank of x, which must have K elements");
    return detail::apply_if<(is_real && fits)>(detail::smallest_fn<Axis, K>{}, x);
}
template <std::int64_t K, array_operand A> [[nodiscard]] constexpr auto topk(A const& x, smallest_t) {
    return tx::topk<K>(x, axis<-1>, smallest);
}

// Gives the different strings of x as a vector, in the order of their bytes. It works outside of callables only.
template <detail::string_operand A> [[nodiscard]] auto unique(A const& x) {
    constexpr bool has_values = !expr_type<A>;
    static_assert(has_values, "tx: unique: how many there are follows from the values, which a trace hasn't");
    if constexpr (has_values) {
        auto const held = detail::as_operand(detail::plain_operand(x));
        detail::group_rows const rows = detail::groups_of(held);
        auto const count = static_cast<std::int64_t>(rows.first.size());
        auto out = tensor<std::string, shape<dyn>>::uninitialized(dims{{count}, 1});
        for (std::size_t k = 0; k < rows.first.size(); ++k) out.mutable_data()[k] = held.data()[rows.first[k]];
        return out;
    } else return detail::failed{};
}
// Gives the places at which the strings v would be inserted into sorted strings to keep them sorted, as int64, in v's shape:
// before equal strings, or behind them with searchsorted<tx::side::right>. It works outside of callables only.
template <side Side = side::left, detail::string_operand A, detail::string_operand V>
[[nodiscard]] auto searchsorted(A const& sorted, V const& v) {
    constexpr bool is_vector = detail::dims_of_operand<A>.rank == 1, has_values = !expr_type<A> && !expr_type<V>;
    static_assert(is_vector, "tx: searchsorted: the sorted strings must be a vector whose type tells its rank");
    static_assert(has_values, "tx: searchsorted: strings are looked up outside of callables");
    if constexpr (is_vector && has_values) {
        auto const among = detail::as_operand(detail::plain_operand(sorted));
        auto const given = detail::as_operand(detail::plain_operand(v));
        auto const* const first = among.data();
        auto const less = [](auto const& a, auto const& b) { return a < b; };
        auto out = tensor<std::int64_t, typename decltype(given)::shape_type>::uninitialized(given.dimensions());
        for (std::int64_t i = 0; i < given.size(); ++i) {
            auto const* const last = first + among.size();
            auto const* const at = Side == side::left ? std::lower_bound(first, last, given.data()[i], less)
                                                      : std::upper_bound(first, last, given.data()[i], less);
            out.mutable_data()[i] = at - first;
        }
        return out;
    } else return detail::failed{};
}

} // namespace TRACEXPR_CALLS
} // namespace tx
