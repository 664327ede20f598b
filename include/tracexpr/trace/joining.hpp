// This file holds functions that join tensors and take them apart: concat, stack, split, unstack, pad.
#pragma once

#include <tracexpr/trace/indexing.hpp>

#include <array>
#include <tuple>

namespace tx {

// The numbers of elements that pad adds: widths<2> on every side, widths<1, 2> before and after every axis, or a pair for each
// axis in order, which can be given as one argument for each axis: pad(x, widths<1, 2>, widths<0>).
template <std::int64_t... Elements> struct widths_t {};
// How many elements tx::pad adds: tx::widths<1> on both sides, tx::widths<0, 2> before and after.
template <std::int64_t... Elements> inline constexpr widths_t<Elements...> widths{};
// An argument of pad: the outermost elements are repeated, pad(x, widths, tx::edge).
enum edge_t { edge };
// An argument of pad: the elements are mirrored at the last one, which is not repeated.
enum reflect_t { reflect };
// An argument of pad: the elements are mirrored behind the last one, which is repeated.
enum symmetric_t { symmetric };
// An argument of pad: the elements are repeated from the first one on, behind the last.
enum wrap_t { wrap };

namespace detail {

template <class A> inline constexpr bool is_pack = false;
template <class... A> inline constexpr bool is_pack<std::tuple<A...>> = (array_operand<A> && ...);
template <class A, std::size_t N> inline constexpr bool is_pack<std::array<A, N>> = array_operand<A>;
template <class A> concept operand_pack = is_pack<A>;

template <int Axis> struct concat_fn {
    static constexpr char const* called = "concat";
    template <class... Shapes> struct result {
        static constexpr inferred rule() {
            dims const all[]{dims_of<Shapes>...};
            for (dims const& d : all)
                if (d.rank < 0) return {d};
            return concatenated(all, attribute_list(normalized_axis(Axis, all[0].rank)));
        }
    };
    template <class... A> constexpr auto operator()(A const&... a) const {
        constexpr dtype common = common_dtype<A...>;
        using owner = checked_shape<result<typename traits<A>::shape_type...>>;
        using result_type = expr<ctype<common>, shape_from<owner>>;
        trace_scope& scope = *scope_among(a...);
        lowering low(scope);
        node_id const parts[]{record_operand<common>(scope, a)...};
        for (node_id part : parts) low.require_rank(op::concatenate, part);
        return result_type(scope, low.concatenate(parts, normalized_axis(Axis, low.rank(parts[0]))));
    }
};
template <int Axis, class... A> inline constexpr bool concat_fits =
    checked_shape<typename concat_fn<Axis>::template result<typename traits<A>::shape_type...>>::rule.problem == nullptr;

struct concat_flat_fn {
    static constexpr char const* called = "concat";
    template <class... A> constexpr auto operator()(A const&... a) const {
        return concat_fn<0>{}(record_rule<flatten_rule>(cast_to<ctype<common_dtype<A...>>>(a))...);
    }
};
template <int Axis> struct stack_fn {
    static constexpr char const* called = "stack";
    template <class... A> constexpr auto operator()(A const&... a) const {
        if constexpr ((std::is_same_v<typename A::shape_type, any_shape> || ...)) {
            dims const given[]{a.dimensions()...};
            check_stacked(given);
        }
        return concat_fn<Axis>{}(record_rule<expand_rule<Axis>>(cast_to<ctype<common_dtype<A...>>>(a))...);
    }
};
template <int Axis, class First, class... A> constexpr bool stack_fits() {
    constexpr dims d = dims_of_operand<First>;
    return (may_equal(d, dims_of_operand<A>) && ...) &&
           (d.rank < 0 || (d.rank < max_rank && are_axes(normalized_axes(d.rank + 1, Axis), d.rank + 1)));
}

// Slices the part from Start to Stop; a negative Stop means the end.
template <int Axis, std::int64_t Start, std::int64_t Stop> struct part_rule {
    static constexpr op code = op::slice;
    static constexpr attribute_list attributes(dims const& d) {
        attribute_list out;
        for (int a = 0; a < d.rank; ++a) {
            bool const cut = a == normalized_axis(Axis, d.rank);
            out.push_back(cut ? Start : slice_open);
            out.push_back(cut && Stop >= 0 ? Stop : slice_open);
            out.push_back(1);
        }
        return out;
    }
};
template <int Axis, std::int64_t... Starts> struct split_at_fn {
    static constexpr char const* called = "split";
    template <class A> constexpr auto operator()(A const& a) const {
        return split(a, std::make_index_sequence<sizeof...(Starts) + 1>{});
    }
    template <class A, std::size_t... I> static constexpr auto split(A const& a, std::index_sequence<I...>) {
        constexpr std::int64_t ends[]{0, Starts..., -1};
        return std::tuple{record_rule<part_rule<Axis, ends[I], ends[I + 1]>>(a)...};
    }
};

// An axis outside the rank counts as extent 0; another check reports it.
TRACEXPR_ONCE constexpr std::int64_t extent_along(dims const& d, int a) {
    if (d.rank < 0) return dyn;
    int const at = normalized_axis(a, d.rank);
    return at < 0 || at >= d.rank ? 0 : d[at];
}
template <class Shape, int Axis> inline constexpr std::int64_t extent_of = extent_along(dims_of<Shape>, Axis);

// An open extent is split by a reshape to (Sections, ?), whose rows are the parts, so that the run finds out whether it divides.
template <int Sections, int Axis> struct split_fn {
    static constexpr char const* called = "split";
    template <class Shape> struct result {
        static constexpr inferred rule() {
            dims d = dims_of<Shape>;
            if (d.rank >= 0) d[normalized_axis(Axis, d.rank)] = dyn;
            return {d};
        }
    };
    // Throws if an operand of this shape can't be split.
    static constexpr void explain(dims const& d) {
        int const along = normalized_axis(Axis, d.rank);
        if (along < 0 || along >= d.rank)
            throw shape_error("tx: split: the axis must lie within the rank; given " + to_string(d) + ", axis " +
                              std::to_string(Axis));
        if (d[along] != dyn && d[along] % Sections != 0)
            throw shape_error(
                "tx: split: the extent of the axis must be divisible by the number of sections; split_at takes parts "
                "of any size; given " +
                to_string(d) + ", " + std::to_string(Sections) + " sections along axis " + std::to_string(along));
    }
    template <class A> constexpr auto operator()(A const& a) const {
        constexpr std::int64_t extent = extent_of<typename A::shape_type, Axis>;
        if constexpr (extent != dyn)
            return even(a, std::integral_constant<std::int64_t, extent / Sections>{},
                        std::make_integer_sequence<std::int64_t, Sections>{});
        else return rows(a, std::make_index_sequence<static_cast<std::size_t>(Sections)>{});
    }
    template <class A, std::int64_t Size, std::int64_t... I> static constexpr auto
    even(A const& a, std::integral_constant<std::int64_t, Size>, std::integer_sequence<std::int64_t, I...>) {
        return std::array{record_rule<part_rule<Axis, I * Size, (I + 1) * Size>>(a)...};
    }
    template <class A, std::size_t... I> static constexpr auto rows(A const& a, std::index_sequence<I...>) {
        lowering low(a.scope());
        low.require_rank(op::slice, a.id());
        explain(dims(low.shape(a.id())));
        int const along = normalized_axis(Axis, low.rank(a.id()));
        if (low.rank(a.id()) == max_rank)
            throw shape_error("tx: split: an axis of 8 must have a known extent; given " + to_string(low.shape(a.id())));
        attribute_list target;
        for (int k = 0; k < low.rank(a.id()); ++k) {
            if (k == along) target.push_back(Sections);
            target.push_back(k == along ? dyn : low.copied(a.id(), k));
        }
        node_id const table = low.reshape(a.id(), target);
        using part = expr<typename A::value_type, shape_from<checked_shape<result<typename A::shape_type>>>>;
        return std::array{
            part(a.scope(),
                 low.squeeze(low.slice(table, along, static_cast<std::int64_t>(I), static_cast<std::int64_t>(I) + 1), along))...};
    }
};

template <int Axis> struct unstack_fn {
    static constexpr char const* called = "unstack";
    template <class A> constexpr auto operator()(A const& a) const {
        constexpr std::int64_t extent = extent_of<typename A::shape_type, Axis>;
        // an open extent gives no parts; unstack has reported it
        return parts(a, std::make_integer_sequence<std::int64_t, (extent < 0 ? 0 : extent)>{});
    }
    template <class A, std::int64_t... I> static constexpr auto parts(A const& a, std::integer_sequence<std::int64_t, I...>) {
        if constexpr (sizeof...(I) == 0) return std::tuple{};
        else return std::array{record_rule<squeeze_rule<Axis>>(record_rule<part_rule<Axis, I, I + 1>>(a))...};
    }
};

template <std::int64_t... Elements> struct pad_widths {
    // Gives the widths before and after, for each axis.
    static constexpr attribute_list attributes(dims const& d) {
        constexpr std::int64_t given[]{Elements..., 0};
        constexpr std::size_t count = sizeof...(Elements);
        attribute_list out;
        for (int a = 0; a < d.rank; ++a)
            for (std::size_t side = 0; side < 2; ++side)
                out.push_back(count == 1                                       ? given[0]
                              : count == 2                                     ? given[side]
                              : 2 * static_cast<std::size_t>(a) + side < count ? given[2 * static_cast<std::size_t>(a) + side]
                                                                               : -1);
        if (count > 2 && count != 2 * static_cast<std::size_t>(d.rank)) out.push_back(-1);
        return out;
    }
    template <class Shape> struct result {
        static constexpr inferred rule() {
            dims const d = dims_of<Shape>;
            return d.rank < 0 ? inferred{d} : padded(d, attributes(d));
        }
    };
};
enum class pad_mode { constant, edge, reflect, symmetric, wrap };

template <pad_mode Mode, class Widths> struct pad_fn {
    static constexpr char const* called = "pad";
    template <class A, class V> static constexpr void check(A const&, V const& value) {
        check_scalar<dtype_of<typename A::value_type>>("pad", value);
    }
    template <class A, class... Value> constexpr auto operator()(A const& a, Value const&... value) const {
        using T = typename A::value_type;
        using owner = checked_shape<typename Widths::template result<typename A::shape_type>>;
        using result_type = expr<T, shape_from<owner>>;
        lowering low(a.scope());
        if constexpr (sizeof...(Value) > 0) check(a, value...);
        if constexpr (Mode == pad_mode::constant)
            return result_type(a.scope(), filled(low, a.id(), low.reshape(record_operand<dtype_of<T>>(a.scope(), value...), {})));
        else return result_type(a.scope(), extended(low, a.id()));
    }
    static constexpr attribute_list checked(lowering& low, node_id x) {
        low.require_rank(op::pad, x);
        dims const d = low.shape(x);
        attribute_list const all = Widths::attributes(d);
        if (inferred const out = padded(d, all); out.problem) throw_shape_error(op::pad, out.problem, {&d, 1});
        return all;
    }
    static constexpr node_id filled(lowering& low, node_id x, node_id value) {
        return low.append(op::pad, x, value, checked(low, x));
    }
    static constexpr node_id extended(lowering& low, node_id x) {
        attribute_list const all = checked(low, x);
        for (int k = 0; k < low.rank(x); ++k)
            x = side_by_side(low, x, k, all[2 * static_cast<std::size_t>(k)], all[2 * static_cast<std::size_t>(k) + 1]);
        return x;
    }
    static constexpr node_id side_by_side(lowering& low, node_id x, int a, std::int64_t before, std::int64_t after) {
        std::int64_t const extent = low.extent(x, a), most = Mode == pad_mode::reflect ? extent - 1 : extent;
        if (Mode != pad_mode::edge && (extent == dyn || before > most || after > most))
            return looked_up(low, x, a, before, after);
        node_id parts[3]{x, x, x};
        std::size_t count = 0;
        if (before) parts[count++] = in_front(low, x, a, before);
        parts[count++] = x;
        if (after) parts[count++] = behind(low, x, a, after);
        return low.concatenate({parts, count}, a);
    }
    static constexpr node_id in_front(lowering& low, node_id x, int a, std::int64_t count) {
        if (Mode == pad_mode::edge) return low.repeat(outermost(low, x, a, 0), a, count, false);
        if (Mode == pad_mode::wrap) return low.slice(x, a, -count, slice_open);
        return Mode == pad_mode::reflect ? low.slice(x, a, count, 0, -1) : low.slice(x, a, count - 1, slice_open, -1);
    }
    static constexpr node_id behind(lowering& low, node_id x, int a, std::int64_t count) {
        if (Mode == pad_mode::edge) return low.repeat(outermost(low, x, a, -1), a, count, false);
        if (Mode == pad_mode::wrap) return low.slice(x, a, 0, count);
        return Mode == pad_mode::reflect ? low.slice(x, a, -2, -count - 2, -1) : low.slice(x, a, -1, -count - 1, -1);
    }
    // Gives the first or the last element along an axis, with extent 1; it throws where the run finds none.
    static constexpr node_id outermost(lowering& low, node_id x, int a, std::int64_t at) {
        return low.expand(low.squeeze(low.slice(x, a, at, at == 0 ? 1 : slice_open), a), a);
    }
    // With m = (i - before) mod 2 (n - 1), place i of a reflected result shows x at min(m, 2 (n - 1) - m). A symmetric one takes
    // m mod 2 n, and shows x at min(m, 2 n - 1 - m); a wrapped one shows x at m mod n, where m = i - before.
    static constexpr node_id looked_up(lowering& low, node_id x, int a, std::int64_t before, std::int64_t after) {
        if (before + after == 0) return x;
        using integer = std::int64_t;
        attribute_list widths_here;
        for (int k = 0; k < low.rank(x); ++k)
            widths_here.push_back(k == a ? before : 0), widths_here.push_back(k == a ? after : 0);
        node_id const places = low.append(
            op::subtract, low.iota_like<integer>(low.append(op::pad, x, low.zero_like(x), widths_here), a), low.literal(before));
        node_id const n = low.axis_size<integer>(x, a);
        if (Mode == pad_mode::wrap)
            return low.append(op::take_along_axis, x, low.append(op::remainder, places, n), attribute_list(a));
        bool const reflects = Mode == pad_mode::reflect; // reflect does not repeat the last element
        node_id const half = reflects ? low.append(op::subtract, n, low.literal(integer{1})) : n;
        node_id const twice = low.append(op::multiply, half, low.literal(integer{2}));
        node_id const period = low.append(op::maximum, twice, low.literal(integer{1}));
        node_id const up = low.append(op::remainder, places, period);
        node_id const last = reflects ? period : low.append(op::subtract, period, low.literal(integer{1}));
        node_id const mirrored = low.append(op::minimum, up, low.append(op::subtract, last, up));
        return low.append(op::take_along_axis, x, mirrored, attribute_list(a));
    }
};
template <class A, std::int64_t... Elements> inline constexpr bool pad_fits =
    checked_shape<typename pad_widths<Elements...>::template result<typename traits<A>::shape_type>>::rule.problem == nullptr;
TRACEXPR_ONCE constexpr bool any_extent_is_zero(dims const& d) {
    for (int k = 0; k < d.rank; ++k)
        if (d[k] == 0) return true;
    return false;
}
// Where widths are given for several axes, a single one means both sides.
template <std::int64_t... Elements> constexpr auto both_sides(widths_t<Elements...>) {
    if constexpr (sizeof...(Elements) == 1) return widths<Elements..., Elements...>;
    else return widths<Elements...>;
}
template <std::int64_t... Before, std::int64_t... Behind> constexpr auto joined_widths(widths_t<Before...>, widths_t<Behind...>) {
    return widths<Before..., Behind...>;
}
template <class A> inline constexpr bool has_elements_to_repeat = !any_extent_is_zero(dims_of_operand<A>);
template <pad_mode Mode, std::int64_t... Elements, class A> constexpr auto padded_by_own(A const& x) {
    constexpr bool fits = pad_fits<A, Elements...>;
    constexpr bool has_elements = has_elements_to_repeat<A>;
    static_assert(fits, "tx: pad: takes one width, one pair, or a pair for each axis of x, none of them negative");
    static_assert(has_elements, "tx: pad: tx::edge, reflect, symmetric and wrap need at least one element on each axis");
    return apply_if<(fits && has_elements)>(pad_fn<Mode, pad_widths<Elements...>>{}, x);
}

} // namespace detail

inline namespace TRACEXPR_CALLS {

// Joins the operands along an axis, in their common dtype: concat(tx::axis<1>, a, b). They can also be given as one tuple or
// array.
template <int Axis, array_operand... A> requires(sizeof...(A) > 0)
[[nodiscard]] constexpr auto concat(axes_t<Axis>, A const&... a) {
    constexpr bool fits = detail::concat_fits<Axis, A...>;
    static_assert(fits, "tx: concat: the operands must have the same rank and equal extents on all axes but the one joined, "
                        "which lies within the rank");
    return detail::apply_if<fits>(detail::concat_fn<Axis>{}, a...);
}
template <int Axis = 0, detail::operand_pack Pack> [[nodiscard]] constexpr auto concat(Pack const& parts, axes_t<Axis> = {}) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
        return concat(axis<Axis>, std::get<I>(parts)...);
    }(std::make_index_sequence<std::tuple_size_v<Pack>>{});
}
template <int Axis, detail::operand_pack Pack> [[nodiscard]] constexpr auto concat(axes_t<Axis>, Pack const& parts) {
    return concat<Axis>(parts);
}
// The axis can be a template argument: concat<1>(a, b).
template <int Axis, array_operand First, array_operand... A>
[[nodiscard]] constexpr auto concat(First const& first, A const&... a) {
    return concat(axis<Axis>, first, a...);
}
// Without an axis it gives all elements of the operands, of any shapes, one after the other: concat(a, b) is a vector, as NumPy's
// concatenate((a, b), axis=None). (A tuple or array of operands is joined along axis 0 instead.)
template <array_operand First, array_operand... A> [[nodiscard]] constexpr auto concat(First const& first, A const&... a) {
    return detail::apply(detail::concat_flat_fn{}, first, a...);
}

// Joins operands of one shape along a new axis, which has that place in the result: stack(tx::axis<0>, a, b).
template <int Axis, array_operand... A> requires(sizeof...(A) > 0)
[[nodiscard]] constexpr auto stack(axes_t<Axis>, A const&... a) {
    constexpr bool fits = detail::stack_fits<Axis, A...>();
    static_assert(fits, "tx: stack: the operands must have the same shape, and the axis must lie within the new rank, at most 8");
    return detail::apply_if<fits>(detail::stack_fn<Axis>{}, a...);
}
template <int Axis = 0, detail::operand_pack Pack> [[nodiscard]] constexpr auto stack(Pack const& parts, axes_t<Axis> = {}) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
        return stack(axis<Axis>, std::get<I>(parts)...);
    }(std::make_index_sequence<std::tuple_size_v<Pack>>{});
}
template <int Axis, detail::operand_pack Pack> [[nodiscard]] constexpr auto stack(axes_t<Axis>, Pack const& parts) {
    return stack<Axis>(parts);
}
template <detail::container_type A> requires(!detail::operand_pack<A>) constexpr auto stack(A const&) {
    return detail::used<A>();
}
// The axis can be a template argument: stack<0>(a, b).
template <int Axis, array_operand First, array_operand... A>
[[nodiscard]] constexpr auto stack(First const& first, A const&... a) {
    return stack(axis<Axis>, first, a...);
}

// Splits x into Sections equal parts along an axis, a std::array: auto [a, b] = split<2>(x, tx::axis<1>).
template <int Sections, int Axis = 0, array_operand A> [[nodiscard]] constexpr auto split(A const& x, axes_t<Axis> = {}) {
    constexpr bool fits = detail::are_axes_of<A, Axis>;
    constexpr std::int64_t extent = detail::extent_of<typename detail::traits<A>::shape_type, Axis>;
    constexpr bool divides = Sections > 0 && (extent == dyn || extent % (Sections > 0 ? Sections : 1) == 0);
    static_assert(fits, "tx: split: the axis must lie within the rank of x; negative ones count from the end");
    static_assert(
        divides,
        "tx: split: the extent of the axis must be divisible by the number of sections; split_at takes parts of any size");
    return detail::apply_if<(fits && divides)>(detail::split_fn<Sections, Axis>{}, x);
}
// Splits x into parts that start at 0 and at each of Starts, a tuple: split_at<1, 4>(x, tx::axis<0>) is x[:1], x[1:4], x[4:].
template <std::int64_t... Starts, array_operand A, int Axis = 0>
[[nodiscard]] constexpr auto split_at(A const& x, axes_t<Axis> = {}) {
    constexpr bool fits = detail::are_axes_of<A, Axis>;
    constexpr bool is_positive = ((Starts >= 0) && ...);
    static_assert(fits, "tx: split_at: the axis must lie within the rank of x; negative ones count from the end");
    static_assert(is_positive, "tx: split_at: starts must not be negative");
    return detail::apply_if<(fits && is_positive)>(detail::split_at_fn<Axis, Starts...>{}, x);
}
// The parts of x along an axis, without that axis: a std::array of as many as its extent, which the compiler must know.
template <int Axis = 0, array_operand A> [[nodiscard]] constexpr auto unstack(A const& x, axes_t<Axis> = {}) {
    constexpr bool fits = detail::are_axes_of<A, Axis>;
    constexpr bool is_known = detail::any_unusable<A> || detail::extent_of<typename detail::traits<A>::shape_type, Axis> != dyn;
    static_assert(fits, "tx: unstack: the axis must lie within the rank of x; negative ones count from the end");
    static_assert(is_known, "tx: unstack: the extent of the axis must be known to the compiler; the result has as many parts");
    return detail::apply_if<(fits && is_known)>(detail::unstack_fn<Axis>{}, x);
}

// x with a border: of one value (0 where none is given), or of its own elements with tx::edge, tx::reflect, tx::symmetric or
// tx::wrap.
template <array_operand A, std::int64_t... Elements, operand V>
[[nodiscard]] constexpr auto pad(A const& x, widths_t<Elements...>, V const& value) {
    constexpr bool fits = detail::pad_fits<A, Elements...>;
    constexpr bool is_scalar = detail::dims_of_operand<V>.rank <= 0;
    static_assert(fits, "tx: pad: takes one width, one pair, or a pair for each axis of x, none of them negative");
    static_assert(is_scalar, "tx: pad: the value must be a scalar");
    return detail::apply_if<(fits && is_scalar)>(detail::pad_fn<detail::pad_mode::constant, detail::pad_widths<Elements...>>{}, x,
                                                 value);
}
template <array_operand A, std::int64_t... Elements> [[nodiscard]] constexpr auto pad(A const& x, widths_t<Elements...> sizes) {
    using value = typename A::value_type;
    return pad(x, sizes,
               // clang has no std::string in constant evaluation
               std::conditional_t<std::is_same_v<value, std::string>, std::string_view, value>{});
}
template <array_operand A, std::int64_t... Elements> [[nodiscard]] constexpr auto pad(A const& x, widths_t<Elements...>, edge_t) {
    return detail::padded_by_own<detail::pad_mode::edge, Elements...>(x);
}
template <array_operand A, std::int64_t... Elements>
[[nodiscard]] constexpr auto pad(A const& x, widths_t<Elements...>, reflect_t) {
    return detail::padded_by_own<detail::pad_mode::reflect, Elements...>(x);
}
template <array_operand A, std::int64_t... Elements>
[[nodiscard]] constexpr auto pad(A const& x, widths_t<Elements...>, symmetric_t) {
    return detail::padded_by_own<detail::pad_mode::symmetric, Elements...>(x);
}
template <array_operand A, std::int64_t... Elements> [[nodiscard]] constexpr auto pad(A const& x, widths_t<Elements...>, wrap_t) {
    return detail::padded_by_own<detail::pad_mode::wrap, Elements...>(x);
}

// The widths may be given as one argument for each axis.
template <array_operand A, std::int64_t... First, std::int64_t... Second, class... Rest>
[[nodiscard]] constexpr auto pad(A const& x, widths_t<First...> first, widths_t<Second...> second, Rest const&... rest) {
    return pad(x, detail::joined_widths(detail::both_sides(first), detail::both_sides(second)), rest...);
}

} // namespace TRACEXPR_CALLS
} // namespace tx
