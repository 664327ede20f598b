// This file holds concat and stack of the tensors or exprs in a std::vector.
#pragma once

#include <tracexpr/trace/functions.hpp>

#include <vector>

namespace tx {
namespace detail {

// The shape where the extent along an axis is made open.
template <class Shape, int Axis> struct opened_shape {
    static constexpr inferred rule() {
        dims d = dims_of<Shape>;
        if (d.rank > 0) d[normalized_axis(Axis, d.rank)] = dyn;
        return {d};
    }
};
[[noreturn]] TRACEXPR_ONCE void throw_nothing_to_join(char const* called) {
    throw shape_error("tx: " + std::string(called) + ": there must be a tensor; given none");
}
// Exprs are compared where they are joined.
template <class A> constexpr void require_one_shape(std::vector<A> const& parts) {
    if constexpr (!expr_type<A> && requires { parts[0].dimensions(); })
        for (A const& part : parts)
            if (part.dimensions() != parts[0].dimensions())
                throw shape_error("tx: stack: the operands must have the same shape; given " + to_string(parts[0].dimensions()) +
                                  ", " + to_string(part.dimensions()));
}
template <int Axis, class A> constexpr auto joined_list(std::vector<A> const& parts) {
    using shape_type = shape_from<checked_shape<opened_shape<typename A::shape_type, Axis>>>;
    if constexpr (expr_type<A>) {
        trace_scope& scope = parts[0].scope();
        lowering low(scope);
        buffer<node_id> ids;
        for (A const& part : parts) ids.push_back(record_operand<dtype_of<typename A::value_type>>(scope, part));
        for (node_id const id : ids) low.require_rank(op::concatenate, id);
        return expr<typename A::value_type, shape_type>(
            scope, low.concatenate({ids.data(), ids.size()}, normalized_axis(Axis, low.rank(ids[0]))));
    } else { // they are joined in pairs, so that each element is copied log2 of the list's length times
        using open = tensor<typename A::value_type, shape_type>;
        std::vector<open> now;
        for (A const& part : parts) now.push_back(open(as_operand(part)));
        while (now.size() > 1) {
            std::vector<open> next;
            for (std::size_t k = 0; k + 1 < now.size(); k += 2) next.push_back(open(concat(axis<Axis>, now[k], now[k + 1])));
            if (now.size() % 2 != 0) next.push_back(std::move(now.back()));
            now = std::move(next);
        }
        return std::move(now[0]);
    }
}

} // namespace detail

inline namespace TRACEXPR_CALLS {

// Joins the tensors, or the exprs, of a list along an existing axis, whose extent in the result is found at run time. Throws
// shape_error for an empty list, and where other extents differ.
template <int Axis, array_operand A> [[nodiscard]] constexpr auto concat(axes_t<Axis>, std::vector<A> const& parts) {
    constexpr dims d = detail::dims_of_operand<A>;
    constexpr bool fits = d.rank < 0 || detail::are_axes(detail::normalized_axes(d.rank, Axis), d.rank);
    static_assert(fits, "tx: concat: the axis must lie within the rank of the tensors; negative ones count from the end");
    if constexpr (fits) {
        if (parts.empty()) detail::throw_nothing_to_join("concat");
        return detail::joined_list<Axis>(parts);
    } else return detail::failed{};
}
// Without an axis it gives all elements of the list's tensors, whose shapes may differ, one after the other.
template <array_operand A> [[nodiscard]] constexpr auto concat(std::vector<A> const& parts) {
    if (parts.empty()) detail::throw_nothing_to_join("concat");
    std::vector<std::remove_cvref_t<decltype(reshape<-1>(parts[0]))>> flat;
    for (A const& part : parts) flat.push_back(reshape<-1>(part));
    return detail::joined_list<0>(flat);
}
// Joins the tensors, or the exprs, of a list along a new axis. They must have one shape; it throws shape_error otherwise, and for
// an empty list.
template <int Axis, array_operand A> [[nodiscard]] constexpr auto stack(axes_t<Axis>, std::vector<A> const& parts) {
    constexpr dims d = detail::dims_of_operand<A>;
    constexpr bool fits =
        d.rank < 0 || (d.rank < max_rank && detail::are_axes(detail::normalized_axes(d.rank + 1, Axis), d.rank + 1));
    static_assert(fits, "tx: stack: the axis must lie within the rank of the result; negative ones count from the end");
    if constexpr (fits) {
        if (parts.empty()) detail::throw_nothing_to_join("stack");
        detail::require_one_shape(parts);
        std::vector<std::remove_cvref_t<decltype(expand_dims(parts[0], axis<Axis>))>> raised;
        for (A const& part : parts) raised.push_back(expand_dims(part, axis<Axis>));
        return detail::joined_list<Axis>(raised);
    } else return detail::failed{};
}

} // namespace TRACEXPR_CALLS
} // namespace tx
