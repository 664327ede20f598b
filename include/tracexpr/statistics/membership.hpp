// tx::digitize finds the intervals in which numbers lie, and tx::isin whether numbers are among given values.
#pragma once

#include <tracexpr/trace/joining.hpp>
#include <tracexpr/trace/sorting.hpp>
#include <tracexpr/transforms/interpolate.hpp>

namespace tx {

// This argument of digitize makes intervals include their right end instead of their left one.
enum right_t { right };

namespace detail {

// As in numpy.digitize, places among descending bins are counted from the other end.
template <side Side> struct digitize_fn {
    static constexpr char const* called = "digitize";
    template <class X, class B> constexpr auto operator()(X const& x, B const& given) const {
        using T = ctype<common_dtype<X, B>>;
        using search = searchsorted_fn<Side>;
        trace_scope& scope = *scope_among(x, given);
        auto const bins = cast_to<T>(given);
        auto const value = search::template to_expr<T>(scope, x);
        auto const decreases = any(slice(bins, range<1, open>) < slice(bins, range<0, -1>));
        auto const place = search{}(where(decreases, flip(bins, axis<0>), bins), value);
        return where(decreases, size(bins) - place, place);
    }
};

// A small number of values is compared with all elements, which is one loop; among more, each element is looked up by binary
// search. The sorted values are padded by one, as the search may give the place behind the last.
struct isin_fn {
    static constexpr char const* called = "isin";
    template <class X, class V> constexpr auto operator()(X const& given, V const& among) const {
        using T = ctype<common_dtype<X, V>>;
        trace_scope& scope = *scope_among(given, among);
        auto const x = searchsorted_fn<side::left>::to_expr<T>(scope, given);
        auto const values = cast_to<T>(row_of(among));
        constexpr std::int64_t count = extent_of<typename decltype(values)::shape_type, 0>;
        if constexpr (!accepts(domain::real, dtype_of<T>) || (count != dyn && count <= most_compared_numbers)) {
            return any(expand_dims<-1>(x) == values, axis<-1>);
        } else {
            auto const sorted = tx::sort(values);
            auto const place = searchsorted_fn<side::left>{}(sorted, x);
            return logical_and(take<0>(padded(sorted), place) == x, place < size(sorted));
        }
    }
    template <class A> static constexpr auto padded(A const& a) {
        lowering low(a.scope());
        constexpr std::int64_t count = extent_of<typename A::shape_type, 0>;
        node_id const longer = low.append(op::pad, a.id(), low.zero_like(a.id()), attribute_list(0, 1));
        return expr<typename A::value_type, shape<(count == dyn ? dyn : count + 1)>>(a.scope(), longer);
    }
};

template <class X, class B> constexpr bool check_digitize() {
    constexpr bool is_vector = dims_of_operand<B>.rank == 1;
    static_assert(is_vector, "tx: digitize: the bins must be a vector whose type tells its rank");
    constexpr bool are_real = have_common_dtype<X, B> && accepts(domain::real, common_dtype<X, B>);
    static_assert(are_real, "tx: digitize: takes real numbers");
    return is_vector && are_real;
}

} // namespace detail

inline namespace TRACEXPR_CALLS {

// Finds the interval between neighbouring bins in which each number lies, as int64 in the shape of x: i where bins[i - 1] <= x <
// bins[i], or with tx::right bins[i - 1] < x <= bins[i]. It is 0 before the first bin, and the number of bins behind the last
// one. Descending bins give i where bins[i - 1] > x >= bins[i], or with tx::right bins[i - 1] >= x > bins[i]. Bins must be
// sorted. NaN counts as greater than all numbers.
template <operand X, array_operand B> [[nodiscard]] constexpr auto digitize(X const& x, B const& bins) {
    return detail::apply_if<detail::check_digitize<X, B>()>(detail::digitize_fn<side::right>{}, x, bins);
}
template <operand X, array_operand B> [[nodiscard]] constexpr auto digitize(X const& x, B const& bins, right_t) {
    return detail::apply_if<detail::check_digitize<X, B>()>(detail::digitize_fn<side::left>{}, x, bins);
}
// Says whether each element of x is one of the values, which have any shape; the result has the shape of x. NaN equals nothing.
template <operand X, array_operand V> [[nodiscard]] constexpr auto isin(X const& x, V const& values) {
    constexpr bool can_meet = detail::have_common_dtype<X, V>;
    static_assert(can_meet, "tx: isin: x and the values must be of dtypes that meet in one");
    constexpr bool are_compared = detail::dtype_of_operand<V> != dtype::string || detail::dims_of_operand<V>.is_static();
    static_assert(are_compared, "tx: isin: of strings the type of the values must tell how many they are");
    return detail::apply_if<(can_meet && are_compared)>(detail::isin_fn{}, x, values);
}

} // namespace TRACEXPR_CALLS
} // namespace tx
