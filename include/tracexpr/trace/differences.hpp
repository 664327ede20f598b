// This file holds diff, the differences of neighbouring elements.
#pragma once

#include <tracexpr/trace/axes.hpp>

namespace tx {
namespace detail {

// A slice along an axis without the first element, or without the last.
template <int Axis, bool DropsFirst> struct neighbours_rule {
    static constexpr op code = op::slice;
    static constexpr attribute_list attributes(dims const& d) {
        attribute_list out;
        for (int a = 0; a < d.rank; ++a) {
            bool const cut = a == normalized_axis(Axis, d.rank);
            out.push_back(cut && DropsFirst ? 1 : slice_open);
            out.push_back(cut && !DropsFirst ? -1 : slice_open);
            out.push_back(1);
        }
        return out;
    }
};
template <int Times, int Axis> struct diff_fn {
    static constexpr char const* called = "diff";
    template <class A> constexpr auto operator()(A const& a) const {
        if constexpr (dims_of_operand<A>.rank < 0) require_axes<Axis>(called, known_rank(op::slice, a));
        if constexpr (Times == 0) return a;
        else return diff_fn<Times - 1, Axis>{}(between(a));
    }
    template <class A> static constexpr auto between(A const& a) {
        auto const later = record_rule<neighbours_rule<Axis, true>>(a);
        auto const earlier = record_rule<neighbours_rule<Axis, false>>(a);
        if constexpr (std::is_same_v<typename A::value_type, bool>) return later != earlier;
        else return later - earlier;
    }
};

} // namespace detail

inline namespace TRACEXPR_CALLS {

// x[i + 1] - x[i] along an axis, the last by default, applied Times times: (..., n, ...) -> (..., n - Times, ...), or no elements
// where n is less. For bool the result says whether neighbours differ. diff(x), diff<2>(x, tx::axis<0>)
template <int Times = 1, array_operand A, int Axis = -1> [[nodiscard]] constexpr auto diff(A const& x, axes_t<Axis> = {}) {
    constexpr bool counts = Times >= 0;
    constexpr bool fits = detail::are_axes_of<A, Axis>;
    constexpr bool are_numbers = detail::dtype_of_operand<A> != dtype::string;
    static_assert(counts, "tx: diff: the number of times must not be negative");
    static_assert(fits, "tx: diff: the axis must lie within the rank of x; negative ones count from the end");
    static_assert(are_numbers, "tx: diff: takes numbers");
    return detail::apply_if<(counts && fits && are_numbers)>(detail::diff_fn<Times, Axis>{}, x);
}

} // namespace TRACEXPR_CALLS
} // namespace tx
