// This file holds functions that give a tensor with a part replaced or changed: set, add_at and the like. They give new values as
// all ops do; the plan changes elements in place where nothing needs the old value.
#pragma once

#include <tracexpr/trace/updates_at_places.hpp>

namespace tx {
namespace detail {

// Updates the part that indices known to the compiler select.
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
        if (plan.removed.count) next = low.append(op::expand_dims, next, plan.removed);
        if (plan.whole) return same_as<A>(scope, adds<How> ? low.append(op::add, x.id(), next) : next);
        return same_as<A>(scope, low.update(How::by_view, x.id(), next, plan.bounds));
    }
};
// Replaces a part along one axis, at a place or in a range that the trace knows.
template <int Axis, bool Place> struct number_update_fn {
    static constexpr char const* called = "set";
    std::int64_t start, stop, step;
    template <class A, class V> constexpr auto operator()(A const& x, V const& part) const {
        lowering low(x.scope());
        node_id const next = Place ? low.expand(part.id(), Axis) : part.id();
        return same_as<A>(x.scope(), low.update(op::view_set, x.id(), next, low.bounds_along(x.id(), Axis, start, stop, step)));
    }
};
// Replaces the elements that take_along_axis reads.
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

// Gives x with `part` in place of part_along<Axis>(x, index).
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
template <class How, class A, class V, class... I> constexpr auto updated(A const& x, V const& v, I const&... indices);
// Updates a part that several tensors of places select.
template <class How, int First, class... I> struct together_update_fn : checks_value<How> {
    template <class A, class V, class... P> constexpr auto operator()(A const& x, V const& v, P const&... places) const {
        together_update_fn::check(x, v);
        using merging = merged_axes<First, static_cast<int>(sizeof...(P))>;
        auto const merged = merging::of(x);
        auto const out = with_one_tensor<I...>(place_among_all<First>(x, places...),
                                               [&](auto const&... index) { return updated<How>(merged, v, index...); });
        return merging::split(out, x);
    }
};
template <class How, class A, class V, class... I> constexpr auto updated_together(A const& x, V const& v, I const&... indices) {
    using among = places_among<I...>;
    if constexpr (among::applied_first < sizeof...(I)) {
        constexpr std::size_t single = among::applied_first;
        constexpr int axis = index_axes<A, I...>::axis_of(single);
        auto const index = plain_place(std::get<single>(std::tuple<I const&...>(indices...)));
        auto const part = part_along<axis>(x, index);
        return without_index<single, axes_left<std::remove_cv_t<decltype(index)>>>(
            [&](auto const&... rest) { return with_part<axis>(x, updated<How>(part, v, rest...), index); }, indices...);
    } else {
        return with_tensors_only(
            [&](auto const&... places) {
                constexpr int axis = index_axes<A, I...>::axis_of(among::first);
                return detail::apply(together_update_fn<How, axis, I...>{}, x, v, places...);
            },
            indices...);
    }
}
// An update that is neither an addition nor a replacement is applied, along the axis of the tensor of places, to the part that
// the other indices select.
template <class How, class A, class V, class... I>
constexpr auto combined_at_places(A const& x, V const& v, I const&... indices) {
    using axes = index_axes<A, I...>;
    constexpr std::size_t number = places_among<I...>::first;
    auto const& places = std::get<number>(std::tuple<I const&...>(indices...));
    if constexpr ((is_whole_index<I> + ... + 0) + 1 == sizeof...(I)) {
        return combined_along<How, axes::axis_of(number)>(x, v, places);
    } else {
        return without_index<number, 1>(
            [&](auto const&... rest) {
                auto const part = part_of(x, rest...);
                return updated<setting>(x, combined_along<How, axes::axis_in_part(number)>(part, v, places), rest...);
            },
            indices...);
    }
}
template <class How, class A, class V, class... I> constexpr auto updated(A const& x, V const& v, I const&... indices) {
    using axes = index_axes<A, I...>;
    constexpr bool is_linear = adds<How> || std::is_same_v<How, setting>;
    if constexpr (!check_indices<A, I...>()) {
        return failed{};
    } else if constexpr (places_among<I...>::count > 1) {
        return updated_together<How>(x, v, indices...);
    } else if constexpr (axes::first_open == sizeof...(I)) {
        return detail::apply(view_update_fn<How, I...>{}, x, v);
    } else if constexpr (!is_linear && places_among<I...>::count == 1) {
        return combined_at_places<How>(x, v, indices...);
    } else {
        constexpr std::size_t first = axes::first_open;
        constexpr int axis = axes::axis_of(first);
        using open = std::tuple_element_t<first, std::tuple<I...>>;
        open const& index = std::get<first>(std::tuple<I const&...>(indices...));
        constexpr bool is_rest_whole = (is_whole_index<I> + ... + 0) + 1 == sizeof...(I);
        constexpr bool may_repeat = are_places<open>, is_known = expr_type<A> && std::is_integral_v<open>;
        constexpr bool by_index = may_repeat || (is_place<open> && !is_known);
        if constexpr (by_index && is_rest_whole && is_linear) {
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

// Appends the axes of the part that an index selects, as far as the types show them. `together` is the broadcast shape of all
// tensors of places, which the first tensor's axes become.
template <class I> constexpr void add_part_axes(dims const& d, int left_over, dims& together, int& axis, dims& out) {
    if constexpr (std::is_same_v<I, new_axis_t>) {
        out.push_back(1);
    } else if constexpr (std::is_same_v<I, ellipsis_t>) {
        for (int k = 0; k < left_over; ++k) out.push_back(d[axis++]);
    } else if constexpr (are_places<I>) {
        for (int k = 0; k < together.rank; ++k) out.push_back(together[k]);
        together = {};
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
        if (plan.removed.count == 0) out.push_back(part[0]);
    }
}
template <class A, class... I> inline constexpr dims part_dims = [] {
    constexpr dims d = dims_of_operand<A>;
    if constexpr (d.rank < 0 || !index_axes<A, I...>::has_room || ((are_places_of_open_rank<I> || container_type<I>) || ...)) {
        return dims{{}, dims::unknown_rank};
    } else {
        dims out, together = places_among<I...>::together;
        int axis = 0;
        (add_part_axes<I>(d, d.rank - index_axes<A, I...>::consumed, together, axis, out), ...);
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

// x with v in place of slice(x, indices...), to whose shape v broadcasts (JAX: x.at[indices].set(v)): set(x, v, i, tx::range<1,
// 3>). Throws where a place is outside of x. Several tensors of places, set(x, v, i, j), must be for adjacent axes, and broadcast
// to one shape. Where they name a place more than once, the last value counts.
template <array_operand A, operand V, detail::slice_index... Indices>
[[nodiscard]] constexpr auto set(A const& x, V const& v, Indices const&... indices) {
    return detail::checked_update<detail::setting>(x, v, detail::index_value(indices)...);
}
// x with v in place of take_along_axis(x, indices, axis); v broadcasts to the indices' shape.
template <int Axis = -1, array_operand A, array_operand I, operand V>
[[nodiscard]] constexpr auto put_along_axis(A const& x, I const& indices, V const& v, axes_t<Axis> = {}) {
    constexpr bool has_integers = detail::are_indices<I>, fits = detail::lookup_fits<detail::take_along_fn<Axis>, A, I>;
    constexpr bool keeps = detail::keeps_dtype<A, V>();
    static_assert(has_integers, "tx: put_along_axis: indices must be integers");
    static_assert(fits,
                  "tx: put_along_axis: indices must have the rank of x, and its extents or 1 on all axes but the one indexed");
    return detail::apply_if<(has_integers && fits && keeps)>(detail::along_update_fn<Axis>{}, x, indices, v);
}
// x with v added to slice(x, indices...); where tensors of places name a place several times, all of its values are added.
template <array_operand A, operand V, detail::slice_index... Indices>
[[nodiscard]] constexpr auto add_at(A const& x, V const& v, Indices const&... indices) {
    return detail::checked_update<detail::adding>(x, v, detail::index_value(indices)...);
}
// x with slice(x, indices...) multiplied by v; where tensors of places name a place several times, it is multiplied by all of its
// values.
template <array_operand A, operand V, detail::slice_index... Indices>
[[nodiscard]] constexpr auto multiply_at(A const& x, V const& v, Indices const&... indices) {
    return detail::checked_update<detail::combining<op::multiply>>(x, v, detail::index_value(indices)...);
}
// x with the lesser of slice(x, indices...) and v in place of that part; where tensors of places name a place several times, the
// least of all values counts. Values for one place that are equal share the derivative.
template <array_operand A, operand V, detail::slice_index... Indices>
[[nodiscard]] constexpr auto min_at(A const& x, V const& v, Indices const&... indices) {
    return detail::checked_update<detail::combining<op::minimum>>(x, v, detail::index_value(indices)...);
}
// x with the greater of slice(x, indices...) and v in place of that part; where tensors of places name a place several times, the
// greatest of all values counts. Values for one place that are equal share the derivative.
template <array_operand A, operand V, detail::slice_index... Indices>
[[nodiscard]] constexpr auto max_at(A const& x, V const& v, Indices const&... indices) {
    return detail::checked_update<detail::combining<op::maximum>>(x, v, detail::index_value(indices)...);
}

} // namespace TRACEXPR_CALLS
} // namespace tx
