// This file updates elements at places that a tensor names, each perhaps several times: the values are set or added, or combined
// with the elements by maximum, minimum or product.
#pragma once

#include <tracexpr/trace/parts.hpp>

namespace tx {
namespace detail {

// The kinds of update; `next` gives the new part for a value that broadcasts to it.
struct setting {
    static constexpr char const* called = "set";
    static constexpr op by_view = op::view_set, by_index = op::index_set;
    template <class P, class V> static constexpr auto next(P const&, V const& v) { return v; }
};
struct adding {
    static constexpr char const* called = "add_at";
    static constexpr op by_view = op::view_add, by_index = op::index_add;
    template <class P, class V> static constexpr auto next(P const&, V const& v) { return v; }
};
template <op Code> struct combining : setting {
    static constexpr op code = Code;
    static constexpr char const* called = Code == op::multiply ? "multiply_at" : Code == op::minimum ? "min_at" : "max_at";
    template <class P, class V> static constexpr auto next(P const& part, V const& v) { return pointwise<Code>(part, v); }
};
template <class How> inline constexpr bool adds = std::is_same_v<How, adding>;

// Broadcasts v to the shape of `part`.
template <dtype Type, class V> constexpr node_id filling(trace_scope& scope, char const* called, node_id part, V const& v) {
    lowering low(scope);
    node_id const x = record_operand<Type>(scope, v);
    dims const d = low.shape(part), own = low.shape(x);
    low.require_rank(op::broadcast_to, x);
    if (own == d && d.is_static()) return x;
    if (!fills(own, d)) {
        dims const both[]{own, d};
        throw_shape_error(called, "the value must broadcast to the part that it is for", both);
    }
    return d.is_static() ? low.append(op::broadcast_to, x, attribute_span(d.extent, static_cast<std::size_t>(d.rank)))
                         : low.append(op::broadcast_to, x, part);
}
// The base of updates that check that the dtype can hold a C++ integer.
template <class How> struct checks_value {
    static constexpr char const* called = How::called;
    template <class A, class V, class... I> static constexpr void check(A const&, V const& v, I const&...) {
        if constexpr (scalar_type<V>) check_scalar<dtype_of_operand<A>>(How::called, v);
    }
};
template <class A> using same_as = expr<typename A::value_type, typename A::shape_type>;

// Updates along one axis at places that the run knows.
template <class How, int Axis> struct index_update_fn : checks_value<How> {
    template <class A, class V, class I> constexpr auto operator()(A const& x, V const& v, I const& places) const {
        index_update_fn::check(x, v);
        constexpr dtype type = dtype_of<typename A::value_type>;
        trace_scope& scope = *scope_among(x, v, places);
        lowering low(scope);
        node_id const own = record_operand<type>(scope, x), at = record_operand<dtype_of_operand<I>>(scope, places);
        // For a vector the part has the shape of the places.
        node_id const part = low.rank(own) == 1 ? at : low.append(op::take, own, at, attribute_list(Axis));
        node_id const operands[]{own, filling<type>(scope, How::called, part, v), at};
        return same_as<A>(scope, low.append(How::by_index, type, operands, attribute_list(Axis)));
    }
};

// The nodes of an update at places along one axis: the tensor, the places as a vector, and values in the shape of the part that
// the places select.
template <class How, int Axis> struct flat_update {
    node_id own, places, values;

    template <class A, class V, class I> constexpr flat_update(trace_scope& scope, A const& x, V const& v, I const& given) {
        constexpr dtype type = dtype_of<typename A::value_type>;
        lowering low(scope);
        own = record_operand<type>(scope, x);
        node_id const at = record_operand<dtype_of_operand<I>>(scope, given);
        low.require_rank(op::take, own);
        low.require_rank(op::take, at);
        places = low.rank(at) == 1 ? at : low.reshape(at, attribute_list(count<I>));
        node_id const part = low.append(op::take, own, at, attribute_list(Axis));
        values = filling<type>(scope, How::called, part, v);
        if (places == at) return;
        node_id const flat = low.append(op::take, own, places, attribute_list(Axis));
        dims const d = low.shape(flat);
        values = d.is_static() ? low.append(op::reshape, values, attribute_span(d.extent, static_cast<std::size_t>(d.rank)))
                               : low.append(op::reshape, values, flat);
    }
    // The number of places.
    template <class I> static constexpr std::int64_t count = dims_of_operand<I>.rank < 0 ? dyn : dims_of_operand<I>.size();
};

// Gives x, at places along one axis, with the greatest or the least of the element and the values for each place.
template <class How, int Axis> struct extreme_update_fn : checks_value<How> {
    template <class A, class V, class I> constexpr auto operator()(A const& x, V const& v, I const& places) const {
        extreme_update_fn::check(x, v);
        trace_scope& scope = *scope_among(x, v, places);
        lowering low(scope);
        flat_update<How, Axis> const flat(scope, x, v, places);
        node_id const operands[]{flat.own, flat.values, flat.places};
        op const code = How::code == op::maximum ? op::index_max : op::index_min;
        return same_as<A>(scope, low.append(code, dtype_of<typename A::value_type>, operands, attribute_list(Axis)));
    }
};

// Gives the values with the axis of the places first, and the places, for a loop over both.
template <class How, int Axis> struct values_in_turn_fn : checks_value<How> {
    template <class A, class V, class I> constexpr auto operator()(A const& x, V const& v, I const& places) const {
        values_in_turn_fn::check(x, v);
        trace_scope& scope = *scope_among(x, v, places);
        lowering low(scope);
        flat_update<How, Axis> const flat(scope, x, v, places);
        attribute_list order(Axis);
        for (int k = 0; k < low.rank(flat.values); ++k)
            if (k != Axis) order.push_back(k);
        constexpr std::int64_t count = flat_update<How, Axis>::template count<I>;
        using value_shape = shape_from<checked_shape<in_turn<typename A::shape_type, count>>>;
        return std::pair{expr<std::int64_t, shape<count>>(scope, low.as(flat.places, dtype::int64)),
                         expr<typename A::value_type, value_shape>(scope, low.transpose(flat.values, order))};
    }
    template <class Shape, std::int64_t Count> struct in_turn {
        static constexpr inferred rule() {
            dims const d = dims_of<Shape>;
            if (d.rank < 0) return {d};
            dims out{{Count}, 1};
            for (int k = 0; k < d.rank; ++k)
                if (k != Axis) out.push_back(d[k]);
            return {out};
        }
    };
};

inline namespace TRACEXPR_CALLS {

// Gives x as a tensor or an expr.
struct as_it_is_fn {
    template <class A> constexpr auto operator()(A const& x) const { return x; }
};
// Applies the values one place after the other, as a product requires. (Loops are declared later; the call finds tx::scan where
// the template is instantiated.)
template <class How, int Axis, class A, class V, class I>
constexpr auto combined_in_turn(A const& x, V const& v, I const& places) {
    auto const in_turn = detail::apply(values_in_turn_fn<How, Axis>{}, x, v, places);
    auto const next = [](auto const& now, auto const& one) {
        auto const& [place, value] = one;
        auto const part = take(now, place, axis<Axis>);
        return std::pair(detail::apply(index_update_fn<setting, Axis>{}, now, How::next(part, value), place), std::tuple<>{});
    };
    return scan(next, detail::apply(as_it_is_fn{}, x), in_turn).first;
}
template <class How, int Axis, class A, class V, class I> constexpr auto combined_along(A const& x, V const& v, I const& places) {
    if constexpr (How::code == op::multiply) return combined_in_turn<How, Axis>(x, v, places);
    else return detail::apply(extreme_update_fn<How, Axis>{}, x, v, places);
}

} // namespace TRACEXPR_CALLS
} // namespace detail
} // namespace tx
