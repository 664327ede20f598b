// This file reads parts of a tensor at places that only the run knows: slice with C++ integers, integer scalars and tensors of
// integers among its indices. As in NumPy a place outside throws, and ranges are cut to the axis.
#pragma once

#include <tracexpr/trace/places_together.hpp>

namespace tx {
namespace detail {

// Can v, as far as shapes are known, broadcast to a part of that shape?
TRACEXPR_ONCE constexpr bool fills(dims const& v, dims const& part) {
    if (part.rank < 0 || v.rank < 0) return true;
    return v.rank <= part.rank && broadcastable(v, part) && may_equal(broadcast(v, part), part);
}
// Does x keep its dtype when some of its elements are changed to v? Explains in an error where it does not.
template <class A, class V> constexpr bool keeps_dtype() {
    if constexpr (!have_common_dtype<A, V>) {
        require_common_dtype<A, V>();
        return false;
    } else {
        constexpr bool keeps = common_dtype<A, V> == dtype_of_operand<A>;
        static_assert(keeps,
                      "tx: set, add_at and their kin: the result has the dtype of x, which the value does not fit: tx::cast one");
        return keeps;
    }
}

// The relation between the indices of a call and the axes of x.
template <class A, class... Indices> struct index_axes {
    static constexpr int rank = dims_of_operand<A>.rank;
    template <class I> static constexpr bool is_ellipsis = std::is_same_v<I, ellipsis_t>;
    template <class I> static constexpr bool consumes = !is_ellipsis<I> && !std::is_same_v<I, new_axis_t>;
    static constexpr int consumed = (consumes<Indices> + ... + 0), ellipses = (is_ellipsis<Indices> + ... + 0);
    static constexpr bool has_room = ellipses <= 1 && (rank < 0 || consumed <= rank);
    // Gives the axis of x for index `number`; -1 where it follows an ellipsis of an unknown number of axes.
    static constexpr int axis_of(std::size_t number) {
        bool const is_one[]{consumes<Indices>..., false}, is_rest[]{is_ellipsis<Indices>..., false};
        int axis = 0;
        for (std::size_t k = 0; k < number; ++k) {
            if (is_rest[k] && rank < 0) return -1;
            axis += is_rest[k] ? rank - consumed : is_one[k];
        }
        return axis;
    }
    // Gives where the axis for index `number` is in the part, if no index before it is a tensor.
    static constexpr int axis_in_part(std::size_t number) {
        bool const stays[]{(!is_ellipsis<Indices> && !is_place<Indices> && !is_at<Indices>)..., false};
        bool const is_rest[]{is_ellipsis<Indices>..., false};
        int axis = 0;
        for (std::size_t k = 0; k < number; ++k) axis += is_rest[k] ? rank - consumed : stays[k];
        return axis;
    }
    static constexpr std::size_t first_open = [] {
        bool const known[]{static_index<Indices>..., true};
        std::size_t k = 0;
        while (k < sizeof...(Indices) && known[k]) ++k;
        return k;
    }();
};

// Reads one place of an axis, given by a number that the trace knows.
template <int Axis> struct number_fn {
    static constexpr char const* called = "slice";
    std::int64_t place;
    template <class Shape> struct result {
        static constexpr inferred rule() {
            dims d = dims_of<Shape>;
            if (d.rank < 0) return {d};
            d[Axis] = 1;
            axis_map const m = view_map(op::squeeze, d, attribute_list(Axis));
            return {m.shape, m.problem};
        }
    };
    template <class A> constexpr auto operator()(A const& x) const {
        lowering low(x.scope());
        low.require_rank(op::slice, x.id());
        std::int64_t const extent = low.rank(x.id()) > Axis ? low.extent(x.id(), Axis) : 0;
        if (extent != dyn && (place >= extent || place < -extent)) throw_index_error(called, std::to_string(place), Axis, extent);
        node_id const part = low.slice(x.id(), Axis, place, place == -1 ? slice_open : place + 1);
        return expr<typename A::value_type, shape_from<checked_shape<result<typename A::shape_type>>>>(x.scope(),
                                                                                                       low.squeeze(part, Axis));
    }
};
// Reads a range of an axis, with bounds that the trace knows.
template <int Axis> struct numbers_fn {
    static constexpr char const* called = "slice";
    std::int64_t start, stop, step;
    template <class Shape> struct result {
        static constexpr inferred rule() {
            dims d = dims_of<Shape>;
            if (d.rank > Axis) d[Axis] = dyn;
            return {d};
        }
    };
    template <class A> constexpr auto operator()(A const& x) const {
        lowering low(x.scope());
        low.require_rank(op::slice, x.id());
        return expr<typename A::value_type, shape_from<checked_shape<result<typename A::shape_type>>>>(
            x.scope(), low.slice(x.id(), Axis, start, stop, step));
    }
};

// Gives a bound of a range within n elements, computed as Python's slice.indices does. Numbers give a number.
template <class B, class N> constexpr auto bound_within(B const& bound, N const& n, std::int64_t step, bool is_stop) {
    std::int64_t const least = step > 0 ? 0 : -1;
    auto const most = n + least;
    if constexpr (std::is_same_v<B, open_t>) {
        return (step > 0) == is_stop ? most : n * std::int64_t{0} + least;
    } else if constexpr (std::is_integral_v<B>) {
        auto const given = static_cast<std::int64_t>(bound);
        return maximum(minimum(n * std::int64_t{given < 0} + given, most), least);
    } else {
        auto const given = cast_to<std::int64_t>(bound);
        return maximum(minimum(where(given < 0, given + n, given), most), least);
    }
}
// Gives the elements start, start + step, ... along an axis, as many as `like` has.
template <int Axis> struct range_part_fn {
    static constexpr char const* called = "slice";
    template <class A, class L> constexpr auto operator()(A const& x, L const& like, auto const& start, auto const& step) const {
        return take(x, arange<std::int64_t>(extent<0>(like)) * step + start, axis<Axis>);
    }
};
// Gives a bound as a number where it is a concrete tensor.
template <class B> constexpr auto plain_bound(B const& bound) {
    if constexpr (tensor_type<B> || variable_type<B>) return static_cast<std::int64_t>(as_operand(bound).item());
    else return bound;
}
template <class Start, class Stop> constexpr auto plain_range(open_range<Start, Stop> const& r) {
    using start = decltype(plain_bound(r.start));
    using stop = decltype(plain_bound(r.stop));
    return open_range<start, stop>{plain_bound(r.start), plain_bound(r.stop), r.step};
}
template <class B> inline constexpr bool is_number_bound = std::is_integral_v<B> || std::is_same_v<B, open_t>;
template <class Range> inline constexpr bool has_number_bounds =
    is_number_bound<decltype(Range::start)> && is_number_bound<decltype(Range::stop)>;

// Gives the places of a range along an axis of x, as a vector.
template <int Axis, class A, class Start, class Stop> constexpr auto range_places(A const& x, open_range<Start, Stop> const& r) {
    auto const n = extent<Axis>(x);
    return arange<std::int64_t>(bound_within(r.start, n, r.step, false), bound_within(r.stop, n, r.step, true), r.step);
}
// Gives x at an index along one axis; a single place removes the axis.
template <int Axis, class A, class I> constexpr auto part_along(A const& x, I const& index) {
    if constexpr (is_open_range<I>) {
        auto const r = plain_range(index);
        constexpr bool numbers = has_number_bounds<decltype(r)>;
        if constexpr (numbers && expr_type<A>) {
            return detail::apply(numbers_fn<Axis>{static_cast<std::int64_t>(r.start), static_cast<std::int64_t>(r.stop), r.step},
                                 x);
        } else if constexpr (numbers) {
            std::int64_t const n = checked_extent(shape_of_held(x), Axis);
            std::int64_t const from = bound_within(r.start, n, r.step, false), to = bound_within(r.stop, n, r.step, true);
            std::int64_t const span = r.step > 0 ? to - from : from - to, pace = r.step > 0 ? r.step : -r.step;
            std::int64_t const count = span <= 0 ? 0 : (span - 1) / pace + 1;
            return detail::apply(range_part_fn<Axis>{}, x, carrier<shape<dyn>>("slice", dyn, count), as_place(from),
                                 as_place(r.step));
        } else return take(x, range_places<Axis>(x, r), axis<Axis>);
    } else if constexpr (std::is_integral_v<I> && expr_type<A>) {
        return detail::apply(number_fn<Axis>{static_cast<std::int64_t>(index)}, x);
    } else return take(x, as_place(index), axis<Axis>);
}

// Calls f(indices...) with the index at First replaced by that many whole axes.
template <std::size_t First, int Axes, class F, class... I> constexpr auto without_index(F const& f, I const&... indices) {
    auto const all = std::tuple<I const&...>(indices...);
    return [&]<std::size_t... B, int... W, std::size_t... E>(std::index_sequence<B...>, std::integer_sequence<int, W...>,
                                                             std::index_sequence<E...>) {
        return f(std::get<B>(all)..., (static_cast<void>(W), range_t<>{})..., std::get<First + 1 + E>(all)...);
    }(std::make_index_sequence<First>{}, std::make_integer_sequence<int, Axes>{},
           std::make_index_sequence<sizeof...(I) - First - 1>{});
}

template <class A, class... I> constexpr bool check_indices() {
    using axes = index_axes<A, I...>;
    if constexpr ((container_type<I> || ...)) static_cast<void>(used<I...>());
    constexpr bool are_tensors = !(container_type<I> || ...);
    constexpr bool have_rank = !(are_places_of_open_rank<I> || ...);
    static_assert(have_rank, "tx: slice, set, add_at and their kin: the type of a tensor of places must tell its rank; write "
                             "tx::tensor<std::int64_t, tx::shape<tx::dyn>>(i), or tx::take(x, i, tx::axis<0>)");
    constexpr bool has_axis = axes::first_open == sizeof...(I) || axes::axis_of(axes::first_open) >= 0;
    static_assert(axes::has_room,
                  "tx: slice, set and their kin: too many indices; at most one for each axis of x, and one ellipsis");
    if constexpr (!are_tensors || !have_rank) {
        return false;
    } else {
        using among = places_among<I...>;
        constexpr bool is_ordered =
            among::count < 2 || among::applied_first == sizeof...(I) || axes::axis_of(among::applied_first) >= 0;
        static_assert(!axes::has_room || (has_axis && is_ordered),
                      "tx: slice, set and their kin: an index that only the run knows can't follow tx::ellipsis where the type "
                      "doesn't tell the rank");
        static_assert(among::side_by_side, "tx: slice, set and their kin: tensors of places must be for axes side by side; "
                                           "tx::moveaxis brings them there");
        static_assert(among::meet, "tx: slice, set and their kin: tensors of places must broadcast to one shape");
        return axes::has_room && has_axis && is_ordered && among::side_by_side && among::meet;
    }
}
// Gives what is known of x's shape before any op on it runs or is recorded.
template <class A> constexpr dims shape_before_run(A const& x) {
    if constexpr (expr_type<A>) return x.scope().recorded.shape_of(x.id());
    else if constexpr (tensor_type<A>) {
        if (!__builtin_is_constant_evaluated() && !innermost_trace) return x.dimensions();
    }
    return dims_of_operand<A>;
}
// Throws where a C++ integer among the indices is out of bounds, with the number of its axis in x; later, when earlier axes have
// been removed, that number would be another.
template <class A, class... I> constexpr void check_places(char const* called, A const& x, I const&... indices) {
    if constexpr ((std::is_integral_v<I> || ...)) {
        dims const d = shape_before_run(x);
        std::size_t number = 0;
        auto const check = [&]<class Index>(Index const& place) {
            int const axis = index_axes<A, I...>::axis_of(number++);
            if constexpr (std::is_integral_v<Index>)
                if (axis >= 0 && axis < d.rank && d[axis] != dyn &&
                    (std::cmp_less(+place, -d[axis]) || !std::cmp_less(+place, d[axis])))
                    throw_index_error(called, std::to_string(place), axis, d[axis]);
        };
        (check(indices), ...);
    }
}
template <class A, class... I> constexpr auto part_of(A const& x, I const&... indices);
// Reads a part where several indices are tensors of places.
template <int First, class... I> struct together_part_fn {
    static constexpr char const* called = "slice";
    template <class A, class... P> constexpr auto operator()(A const& x, P const&... places) const {
        auto const merged = merged_axes<First, static_cast<int>(sizeof...(P))>::of(x);
        return with_one_tensor<I...>(place_among_all<First>(x, places...),
                                     [&](auto const&... index) { return part_of(merged, index...); });
    }
};
template <class A, class... I> constexpr auto part_at_places(A const& x, I const&... indices) {
    using among = places_among<I...>;
    if constexpr (among::applied_first < sizeof...(I)) {
        constexpr std::size_t single = among::applied_first;
        constexpr int axis = index_axes<A, I...>::axis_of(single);
        auto const index = plain_place(std::get<single>(std::tuple<I const&...>(indices...)));
        auto const part = part_along<axis>(x, index);
        return without_index<single, axes_left<std::remove_cv_t<decltype(index)>>>(
            [&](auto const&... rest) { return part_of(part, rest...); }, indices...);
    } else {
        return with_tensors_only(
            [&](auto const&... places) {
                return detail::apply(together_part_fn<index_axes<A, I...>::axis_of(among::first), I...>{}, x, places...);
            },
            indices...);
    }
}
// The functions from here on take indices as their types (index_type) and values.
template <class A, class... I> constexpr auto part_of(A const& x, I const&... indices) {
    using axes = index_axes<A, I...>;
    if constexpr (!check_indices<A, I...>()) {
        return failed{};
    } else if constexpr (places_among<I...>::count > 1) {
        return part_at_places(x, indices...);
    } else if constexpr (axes::first_open == sizeof...(I)) {
        if constexpr ((std::is_same_v<I, range_t<>> && ...)) return x;
        else return static_slice<I...>(x);
    } else {
        constexpr std::size_t first = axes::first_open;
        using open = std::tuple_element_t<first, std::tuple<I...>>;
        auto const part = part_along<axes::axis_of(first)>(x, std::get<first>(std::tuple<I const&...>(indices...)));
        return without_index<first, axes_left<open>>([&](auto const&... rest) { return part_of(part, rest...); }, indices...);
    }
}
template <class I> constexpr decltype(auto) index_value(I const& index) {
    if constexpr (static_index<I>) return index_type<I>{};
    else return (index);
}
} // namespace detail

inline namespace TRACEXPR_CALLS {

// slice with indices that only the run knows among them: slice(x, i, tx::range(a, b, step), tx::at<0>). A place outside throws
// when the op runs.
template <array_operand A, detail::slice_index... Indices> requires(!(detail::static_index<Indices> && ...))
[[nodiscard]] constexpr auto slice(A const& x, Indices const&... indices) {
    detail::check_places("slice", x, detail::index_value(indices)...);
    return detail::part_of(x, detail::index_value(indices)...);
}

} // namespace TRACEXPR_CALLS
} // namespace tx
