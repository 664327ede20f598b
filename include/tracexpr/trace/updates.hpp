// A tensor with a part replaced or changed: set, add_at and their kin. They are values as all ops are; the plan changes elements
// in place where nobody needs the old value.
#pragma once

#include <tracexpr/trace/parts.hpp>

namespace tx {
namespace detail {

// What becomes of a part, given a value that broadcasts to it.
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
    static constexpr char const* called = Code == op::multiply ? "multiply_at" : Code == op::minimum ? "min_at" : "max_at";
    template <class P, class V> static constexpr auto next(P const& part, V const& v) { return pointwise<Code>(part, v); }
};
template <class How> inline constexpr bool adds = std::is_same_v<How, adding>;

// v with the shape of `part`.
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
// C++ integers that the dtype lacks are no values.
template <class How> struct checks_value {
    static constexpr char const* called = How::called;
    template <class A, class V, class... I> static constexpr void check(A const&, V const& v, I const&...) {
        if constexpr (scalar_type<V>) check_scalar<dtype_of_operand<A>>(How::called, v);
    }
};
template <class A> using same_as = expr<typename A::value_type, typename A::shape_type>;

// The part that indices known to the compiler name.
template <class How, class... Indices> struct view_update_fn : checks_value<How> {
    template <class A, class V> constexpr auto operator()(A const& x, V const& v) const {
        view_update_fn::check(x, v);
        trace_scope& scope = x.scope();
        lowering low(scope);
        low.require_rank(op::slice, x.id());
        slice_plan const plan = slice_fn<Indices...>::checked(low.shape(x.id()));
        auto const part = slice_fn<Indices...>{}(x);
        node_id next = filling<dtype_of<typename A::value_type>>(scope, How::called, part.id(), How::next(part, v));
        if (plan.added.count) next = low.append(op::squeeze, next, plan.added);
        if (plan.gone.count) next = low.append(op::expand_dims, next, plan.gone);
        if (plan.whole) return same_as<A>(scope, adds<How> ? low.append(op::add, x.id(), next) : next);
        return same_as<A>(scope, low.update(How::by_view, x.id(), next, plan.bounds));
    }
};
// Along one axis, at a place or in a range that the trace knows, the part itself.
template <int Axis, bool Place> struct number_update_fn {
    static constexpr char const* called = "set";
    std::int64_t start, stop, step;
    template <class A, class V> constexpr auto operator()(A const& x, V const& part) const {
        lowering low(x.scope());
        node_id const next = Place ? low.expand(part.id(), Axis) : part.id();
        return same_as<A>(x.scope(), low.update(op::view_set, x.id(), next, low.bounds_along(x.id(), Axis, start, stop, step)));
    }
};
// Along one axis at places that the run knows.
template <class How, int Axis> struct index_update_fn : checks_value<How> {
    template <class A, class V, class I> constexpr auto operator()(A const& x, V const& v, I const& places) const {
        index_update_fn::check(x, v);
        constexpr dtype type = dtype_of<typename A::value_type>;
        trace_scope& scope = *scope_among(x, v, places);
        lowering low(scope);
        node_id const own = record_operand<type>(scope, x), at = record_operand<dtype_of_operand<I>>(scope, places);
        // A vector's part has the shape of the places.
        node_id const part = low.rank(own) == 1 ? at : low.append(op::take, own, at, attribute_list(Axis));
        node_id const operands[]{own, filling<type>(scope, How::called, part, v), at};
        return same_as<A>(scope, low.append(How::by_index, type, operands, attribute_list(Axis)));
    }
};

// As take_along_axis reads.
template <int Axis> struct along_update_fn : checks_value<setting> {
    static constexpr char const* called = "put_along_axis";
    template <class A, class I, class V> constexpr auto operator()(A const& x, I const& indices, V const& v) const {
        along_update_fn::check(x, v);
        constexpr dtype type = dtype_of<typename A::value_type>;
        trace_scope& scope = *scope_among(x, indices, v);
        lowering low(scope);
        node_id const own = record_operand<type>(scope, x), places = record_operand<dtype_of_operand<I>>(scope, indices);
        node_id const part = take_along_fn<Axis>::record(low, own, places);
        node_id const at =
            low.shape(places) == low.shape(part) ? places : filling<dtype_of_operand<I>>(scope, called, part, indices);
        node_id const operands[]{own, filling<type>(scope, called, part, v), at};
        return same_as<A>(scope,
                          low.append(op::scatter_set, type, operands, attribute_list(normalized_axis(Axis, low.rank(own)))));
    }
};

template <class I> inline constexpr bool is_whole_index = std::is_same_v<I, range_t<>> || std::is_same_v<I, ellipsis_t>;

// x with `part` in place of what part_along<Axis>(x, index) is.
template <int Axis, class A, class P, class I> constexpr auto with_part(A const& x, P const& part, I const& index) {
    if constexpr (expr_type<A> && std::is_integral_v<I>) {
        auto const place = static_cast<std::int64_t>(index);
        return detail::apply(number_update_fn<Axis, true>{place, place == -1 ? slice_open : place + 1, 1}, x, part);
    } else if constexpr (is_open_range<I>) {
        auto const r = plain_range(index);
        if constexpr (expr_type<A> && has_number_bounds<decltype(r)>)
            return detail::apply(
                number_update_fn<Axis, false>{static_cast<std::int64_t>(r.start), static_cast<std::int64_t>(r.stop), r.step}, x,
                part);
        else return detail::apply(index_update_fn<setting, Axis>{}, x, part, range_places<Axis>(x, r));
    } else return detail::apply(index_update_fn<setting, Axis>{}, x, part, as_place(index));
}
template <class How, class A, class V, class... I> constexpr auto updated(A const& x, V const& v, I const&... indices) {
    using axes = index_axes<A, I...>;
    if constexpr (!check_indices<A, I...>()) {
        return failed{};
    } else if constexpr (axes::first_open == sizeof...(I)) {
        return detail::apply(view_update_fn<How, I...>{}, x, v);
    } else {
        constexpr std::size_t first = axes::first_open;
        constexpr int axis = axes::axis_of(first);
        using open = std::tuple_element_t<first, std::tuple<I...>>;
        open const& index = std::get<first>(std::tuple<I const&...>(indices...));
        constexpr bool is_rest_whole = (is_whole_index<I> + ... + 0) + 1 == sizeof...(I);
        constexpr bool may_repeat = are_places<open>, is_known = expr_type<A> && std::is_integral_v<open>;
        constexpr bool by_index = may_repeat || (is_place<open> && !is_known);
        constexpr bool has_op = !may_repeat || adds<How> || std::is_same_v<How, setting>;
        static_assert(has_op,
                      "tx: multiply_at, min_at, max_at: places must be single ones or ranges; a tensor of them may name one "
                      "twice, which tx::set and tx::add_at alone are defined for");
        if constexpr (!has_op) {
            return failed{};
        } else if constexpr (by_index && is_rest_whole && (adds<How> || std::is_same_v<How, setting>)) {
            return detail::apply(index_update_fn<How, axis>{}, x, v, as_place(index));
        } else {
            auto const part = part_along<axis>(x, index);
            return without_index<first, axes_left<open>>(
                [&](auto const&... rest) {
                    if constexpr (adds<How> && may_repeat)
                        return detail::apply(index_update_fn<How, axis>{}, x, updated<setting>(zeros_like(part), v, rest...),
                                             index);
                    else return with_part<axis>(x, updated<How>(part, v, rest...), index);
                },
                indices...);
        }
    }
}

// The shape of slice(x, indices...) as far as the types tell it.
template <class I> constexpr void add_part_axes(dims const& d, int left_over, int& axis, dims& out) {
    if constexpr (std::is_same_v<I, new_axis_t>) {
        out.push_back(1);
    } else if constexpr (std::is_same_v<I, ellipsis_t>) {
        for (int k = 0; k < left_over; ++k) out.push_back(d[axis++]);
    } else if constexpr (are_places<I>) {
        for (int k = 0; k < dims_of_operand<I>.rank; ++k) out.push_back(dims_of_operand<I>[k]);
        ++axis;
    } else if constexpr (is_open_range<I>) {
        out.push_back(dyn);
        ++axis;
    } else if constexpr (is_place<I>) {
        ++axis;
    } else {
        dims const one{{d[axis++]}, 1};
        slice_plan const plan = slice_plan::of<I>(one);
        dims const part = plan.zero_step ? one : view_map(op::slice, one, plan.bounds).shape;
        if (plan.gone.count == 0) out.push_back(part[0]);
    }
}
template <class A, class... I> inline constexpr dims part_dims = [] {
    constexpr dims d = dims_of_operand<A>;
    if constexpr (d.rank < 0 || !index_axes<A, I...>::has_room || ((are_places_of_open_rank<I> || container_type<I>) || ...)) {
        return dims{{}, dims::unknown_rank};
    } else {
        dims out;
        int axis = 0;
        (add_part_axes<I>(d, d.rank - index_axes<A, I...>::consumed, axis, out), ...);
        while (axis < d.rank) out.push_back(d[axis++]);
        return out;
    }
}();

template <class How, class A, class V, class... I> constexpr auto checked_update(A const& x, V const& v, I const&... indices) {
    constexpr bool keeps = keeps_dtype<A, V>();
    constexpr bool adds_numbers = std::is_same_v<How, setting> || accepts(How::by_view, dtype_of_operand<A>);
    constexpr bool broadcasts = fills(dims_of_operand<V>, part_dims<A, I...>);
    static_assert(adds_numbers, "tx: add_at: takes numbers");
    static_assert(broadcasts, "tx: set, add_at and their kin: the value must broadcast to the shape of slice(x, indices...)");
    if constexpr (!keeps || !adds_numbers || !broadcasts || !check_indices<A, I...>()) {
        return failed{};
    } else {
        check_places(How::called, x, indices...);
        return updated<How>(x, v, indices...);
    }
}

} // namespace detail

inline namespace TRACEXPR_CALLS {

// x with v in place of slice(x, indices...), to whose shape v broadcasts (JAX: x.at[indices].set(v)):
// set(x, v, i, tx::range<1, 3>). Throws where a place is outside of x. Where a tensor of places names one twice, the last value
// stays.
template <array_operand A, operand V, detail::slice_index... Indices>
constexpr auto set(A const& x, V const& v, Indices const&... indices) {
    return detail::checked_update<detail::setting>(x, v, detail::index_value(indices)...);
}
// x with v, which broadcasts to the indices' shape, in place of take_along_axis(x, indices, axis).
template <int Axis = -1, array_operand A, array_operand I, operand V>
constexpr auto put_along_axis(A const& x, I const& indices, V const& v, axes_t<Axis> = {}) {
    constexpr bool has_integers = detail::are_indices<I>, fits = detail::lookup_fits<detail::take_along_fn<Axis>, A, I>;
    constexpr bool keeps = detail::keeps_dtype<A, V>();
    static_assert(has_integers, "tx: put_along_axis: indices must be integers");
    static_assert(fits,
                  "tx: put_along_axis: indices must have the rank of x, and its extents or 1 on all axes but the one indexed");
    return detail::apply_if<(has_integers && fits && keeps)>(detail::along_update_fn<Axis>{}, x, indices, v);
}
// x with v added to that part; where a tensor of places names one several times, all of its values are.
template <array_operand A, operand V, detail::slice_index... Indices>
constexpr auto add_at(A const& x, V const& v, Indices const&... indices) {
    return detail::checked_update<detail::adding>(x, v, detail::index_value(indices)...);
}
// x with that part multiplied by v. Indices are numbers, ranges and scalars: no tensors of places.
template <array_operand A, operand V, detail::slice_index... Indices>
constexpr auto multiply_at(A const& x, V const& v, Indices const&... indices) {
    return detail::checked_update<detail::combining<op::multiply>>(x, v, detail::index_value(indices)...);
}
// x with the lesser of a part and v in place of that part. Indices: as for multiply_at.
template <array_operand A, operand V, detail::slice_index... Indices>
constexpr auto min_at(A const& x, V const& v, Indices const&... indices) {
    return detail::checked_update<detail::combining<op::minimum>>(x, v, detail::index_value(indices)...);
}
// x with the greater of a part and v in place of that part. Indices: as for multiply_at.
template <array_operand A, operand V, detail::slice_index... Indices>
constexpr auto max_at(A const& x, V const& v, Indices const&... indices) {
    return detail::checked_update<detail::combining<op::maximum>>(x, v, detail::index_value(indices)...);
}

} // namespace TRACEXPR_CALLS
} // namespace tx
