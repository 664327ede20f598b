// This file holds functions that give the same elements in another shape or order: reshape, transpose, moveaxis, expand_dims,
// squeeze, broadcast_to, flip, tile, repeat, diagonal, windows. Axes are template arguments, in <> of the call or as
// tx::axis<...>.
#pragma once

#include <tracexpr/trace/lowering.hpp>

#include <tuple>

namespace tx {
namespace detail {

// Records a rule whose target is the result's shape, even where the operand's shape is open.
template <class Rule, std::int64_t... Target> struct target_fn : ruled_op<target_fn<Rule, Target...>, false> {
    template <class A> using rule = Rule;
    template <class A> static constexpr ruled_form form = uncast_form(Rule::code, dtype_of_operand<A>);
    template <class A> constexpr auto operator()(A const& a) const {
        if constexpr (std::is_same_v<typename A::shape_type, any_shape>) {
            lowering low(a.scope());
            low.require_rank(Rule::code, a.id());
            return expr<typename A::value_type, shape<Target...>>(a.scope(),
                                                                  low.append(Rule::code, a.id(), Rule::attributes(dims{})));
        } else {
            return target_fn::recorded(a);
        }
    }
};
template <std::int64_t... Target> struct broadcast_rule {
    static constexpr op code = op::broadcast_to;
    static constexpr attribute_list attributes(dims const&) { return reshape_rule<Target...>::attributes(dims{}); }
};

template <int... Permutation> struct transpose_rule {
    static constexpr op code = op::transpose;
    static constexpr attribute_list attributes(dims const& d) {
        attribute_list out = normalized_axes(d.rank, Permutation...);
        if (sizeof...(Permutation) == 0)
            for (int a = d.rank - 1; a >= 0; --a) out.push_back(a);
        return out;
    }
};
// A permutation that transpose rejects.
inline constexpr attribute_list no_permutation{-1};
template <int First, int Second> struct swap_rule {
    static constexpr char const* called = "swapaxes";
    static constexpr op code = op::transpose;
    static constexpr attribute_list attributes(dims const& d) {
        std::int64_t const first = normalized_axis(First, d.rank), second = normalized_axis(Second, d.rank);
        if (first < 0 || second < 0 || first >= d.rank || second >= d.rank) return no_permutation;
        attribute_list out = every_axis(d.rank);
        std::swap(out.value[first], out.value[second]);
        return out;
    }
};
struct matrix_transpose_rule : swap_rule<-2, -1> {
    static constexpr char const* called = "matrix_transpose";
};
template <class Sources, class Destinations> struct move_rule;
template <int... From, int... To> struct move_rule<axes_t<From...>, axes_t<To...>> {
    static constexpr char const* called = "moveaxis";
    static constexpr op code = op::transpose;
    static constexpr attribute_list attributes(dims const& d) {
        attribute_list const from = normalized_axes(d.rank, From...), to = normalized_axes(d.rank, To...);
        if (from.count != to.count || !are_axes(from, d.rank) || !are_axes(to, d.rank)) return no_permutation;
        attribute_list out;
        std::int64_t rest = 0;
        for (int place = 0; place < d.rank; ++place) {
            std::size_t moved = 0;
            while (moved < to.count && to[moved] != place) ++moved;
            if (moved == to.count) {
                while (from.contains(rest)) ++rest;
                out.push_back(rest++);
            } else out.push_back(from[moved]);
        }
        return out;
    }
};

// Without axes it removes all whose extent is 1.
struct squeeze_all_rule {
    static constexpr char const* called = "squeeze";
    static constexpr op code = op::squeeze;
    TRACEXPR_ONCE static constexpr attribute_list attributes(dims const& d) {
        attribute_list out;
        for (int a = 0; a < d.rank; ++a)
            if (d[a] == 1) out.push_back(a);
        return out;
    }
};
template <int Least> struct atleast_rule {
    static constexpr char const* called = Least == 1 ? "atleast_1d" : "atleast_2d";
    static constexpr op code = op::expand_dims;
    static constexpr attribute_list attributes(dims const& d) {
        attribute_list out;
        for (int a = 0; a < Least - d.rank; ++a) out.push_back(a);
        return out;
    }
};
template <int Offset, int First, int Second> struct diagonal_rule {
    static constexpr op code = op::diagonal;
    static constexpr attribute_list attributes(dims const& d) {
        return attribute_list(Offset, normalized_axis(First, d.rank), normalized_axis(Second, d.rank));
    }
};
template <class Sizes, class Axes> struct windows_rule;
template <int... Sizes, int... Axes> struct windows_rule<axes_t<Sizes...>, axes_t<Axes...>> {
    static constexpr op code = op::sliding_window_view;
    static constexpr attribute_list attributes(dims const& d) {
        constexpr int sizes[]{Sizes..., 0};
        attribute_list const axes = sizeof...(Axes) ? normalized_axes(d.rank, Axes...) : every_axis(d.rank);
        if (axes.count != sizeof...(Sizes)) return attribute_list(0); // a list of attributes that sliding_window_view rejects
        attribute_list out;
        for (std::size_t k = 0; k < axes.count; ++k) out.push_back(axes[k]), out.push_back(sizes[k]);
        return out;
    }
};
template <bool All, int... Axes> struct flip_rule {
    static constexpr op code = op::slice;
    static constexpr attribute_list attributes(dims const& d) {
        attribute_list const axes = All ? every_axis(d.rank) : normalized_axes(d.rank, Axes...);
        attribute_list out;
        for (int a = 0; a < d.rank; ++a) {
            out.push_back(slice_open);
            out.push_back(slice_open);
            out.push_back(axes.contains(a) ? -1 : 1);
        }
        return out;
    }
};
template <bool All, int... Axes> struct flip_fn {
    static constexpr char const* called = "flip";
    template <class A> constexpr auto operator()(A const& a) const {
        if constexpr (dims_of_operand<A>.rank < 0 && !All) require_axes<Axes...>("flip", known_rank(op::slice, a));
        return record_rule<flip_rule<All, Axes...>>(a);
    }
};
// Rotates by Quarters quarter turns from axis 0 to axis 1.
template <int Quarters> struct rot90_fn {
    static constexpr char const* called = "rot90";
    template <class A> constexpr auto operator()(A const& a) const {
        if constexpr (dims_of_operand<A>.rank < 0) require_axes<0, 1>("rot90", known_rank(op::slice, a));
        constexpr int left = ((Quarters % 4) + 4) % 4;
        if constexpr (left == 0) return a;
        else if constexpr (left == 1) return record_rule<swap_rule<0, 1>>(record_rule<flip_rule<false, 1>>(a));
        else if constexpr (left == 2) return record_rule<flip_rule<false, 0, 1>>(a);
        else return record_rule<flip_rule<false, 1>>(record_rule<swap_rule<0, 1>>(a));
    }
};

template <int Times, int... Axis> struct repeat_fn {
    static constexpr char const* called = "repeat";
    template <class Shape> struct result {
        static constexpr inferred rule() {
            dims d = dims_of<Shape>;
            if (Times < 0) return {{}, "the count must not be negative"};
            if (d.rank < 0) return {d};
            if (sizeof...(Axis) == 0) {
                std::int64_t const size = d.size();
                d = dims{{size == dyn ? dyn : size * Times}, 1};
            } else {
                attribute_list const axes = normalized_axes(d.rank, Axis...);
                if (axes.count != 1 || !are_axes(axes, d.rank)) return {{}, "takes one axis within the rank"};
                std::int64_t& extent = d[static_cast<int>(axes[0])];
                extent = Times == 0 ? 0 : extent == dyn ? dyn : extent * Times;
            }
            return {d};
        }
    };
    template <class A> constexpr auto operator()(A const& a) const {
        using owner = checked_shape<result<typename A::shape_type>>;
        using result_type = expr<typename A::value_type, shape_from<owner>>;
        lowering low(a.scope());
        node_id const x = a.id();
        low.require_rank(op::reshape, x);
        if constexpr (sizeof...(Axis) == 0)
            return result_type(a.scope(), low.repeat(low.reshape(x, attribute_list(-1)), 0, Times, true));
        else
            return result_type(a.scope(),
                               low.repeat(x, checked_axis(low, x, normalized_axes(low.rank(x), Axis...)), Times, true));
    }
    static constexpr int checked_axis(lowering& low, node_id x, attribute_list const& axes) {
        dims const d = low.shape(x);
        if (!are_axes(axes, d.rank)) throw_shape_error(op::take, "the axis must lie within the rank", {&d, 1});
        return static_cast<int>(axes[0]);
    }
};

template <int... Times> struct tile_fn {
    static constexpr char const* called = "tile";
    template <class Shape> struct result {
        static constexpr inferred rule() {
            constexpr int counts = static_cast<int>(sizeof...(Times));
            constexpr int times[]{Times..., 1};
            dims const d = dims_of<Shape>;
            if (((Times < 0) || ...) || counts > max_rank) return {{}, "counts must not be negative"};
            if (d.rank < 0) return {d};
            dims out;
            out.rank = d.rank > counts ? d.rank : counts;
            for (int k = 1; k <= out.rank; ++k) {
                std::int64_t const extent = k > d.rank ? 1 : d[d.rank - k];
                std::int64_t const count = k > counts ? 1 : times[counts - k];
                out[out.rank - k] = count == 0 ? 0 : extent == dyn ? dyn : extent * count;
            }
            return {out};
        }
    };
    template <class A> constexpr auto operator()(A const& a) const {
        using owner = checked_shape<result<typename A::shape_type>>;
        using result_type = expr<typename A::value_type, shape_from<owner>>;
        lowering low(a.scope());
        low.require_rank(op::reshape, a.id());
        return result_type(a.scope(), record(low, a.id()));
    }
    static constexpr node_id record(lowering& low, node_id x) {
        while (low.rank(x) < static_cast<int>(sizeof...(Times))) x = low.expand(x, 0);
        int next = low.rank(x) - static_cast<int>(sizeof...(Times));
        ((x = low.repeat(x, next++, Times, false)), ...);
        return x;
    }
};

// Broadcasts all operands to the common shape. Where its extents are open, a node that has that shape, and whose values are not
// read, gives it.
struct broadcast_arrays_fn {
    static constexpr char const* called = "broadcast_arrays";
    template <class... A> constexpr auto operator()(A const&... a) const {
        using common = broadcast_of<A...>;
        return std::tuple{to_common<common>(a, *scope_among(a...), a...)...};
    }
    template <class Common, class E, class... All>
    static constexpr auto to_common(E const& e, trace_scope& scope, All const&... all) {
        node_id const x = record_operand<dtype_of_operand<E>>(scope, e);
        lowering low(scope);
        using result_type = expr<ctype<dtype_of_operand<E>>, Common>;
        if constexpr (dims_of<Common>.is_static()) {
            if (low.shape(x) == dims_of<Common>) return result_type(scope, x);
            attribute_list target;
            for (int k = 0; k < dims_of<Common>.rank; ++k) target.push_back(dims_of<Common>[k]);
            return result_type(scope, low.append(op::broadcast_to, x, target));
        } else {
            node_id const parts[]{record_operand<dtype::boolean>(scope, all)...};
            node_id like = parts[0];
            for (std::size_t k = 1; k < sizeof...(All); ++k) like = low.append(op::logical_or, like, parts[k]);
            return result_type(scope, low.append(op::broadcast_to, x, like));
        }
    }
};

} // namespace detail

inline namespace TRACEXPR_CALLS {

// The same elements, in row-major order, in another shape: reshape(x, tx::shape<2, -1>{}) or reshape<2, -1>(x). One extent may be
// -1 (tx::dyn): it is computed from the size.
template <std::int64_t... Target, array_operand A> [[nodiscard]] constexpr auto reshape(A const& x, shape<Target...> = {}) {
    constexpr bool fits = detail::fits<detail::reshape_rule<Target...>, A>;
    static_assert(fits, "tx: reshape: the size must stay the same, with at most one extent left to infer (-1); both shapes stand "
                        "in the note above");
    return detail::apply_if<fits>(detail::target_fn<detail::reshape_rule<Target...>, Target...>{}, x);
}
// All elements in row-major order, as one axis: (size).
template <array_operand A> [[nodiscard]] constexpr auto flatten(A const& x) {
    return detail::apply(detail::target_fn<detail::flatten_rule, dyn>{}, x);
}
// All elements in row-major order, as flatten gives them: (size).
template <array_operand A> [[nodiscard]] constexpr auto ravel(A const& x) { return flatten(x); }

// Axes in another order: axis i of the result is axis Permutation[i] of x. Without axes the order is reversed.
template <int... Permutation, array_operand A> [[nodiscard]] constexpr auto transpose(A const& x, axes_t<Permutation...> = {}) {
    constexpr bool fits = detail::fits<detail::transpose_rule<Permutation...>, A>;
    static_assert(fits, "tx: transpose: the axes must name every axis of x exactly once");
    return detail::apply_if<fits>(detail::rule_fn<detail::transpose_rule<Permutation...>>{}, x);
}
// transpose with its axes, as the Array API standard calls it: axis k of the result is axis Permutation[k] of x.
template <int... Permutation, array_operand A> [[nodiscard]] constexpr auto permute(A const& x, axes_t<Permutation...> = {}) {
    constexpr bool fits = detail::fits<detail::transpose_rule<Permutation...>, A>;
    static_assert(fits, "tx: permute: the axes must name every axis of x exactly once");
    return detail::apply_if<fits>(detail::rule_fn<detail::transpose_rule<Permutation...>>{}, x);
}
// (..., m, n) -> (..., n, m)
template <array_operand A> [[nodiscard]] constexpr auto matrix_transpose(A const& x) {
    constexpr bool fits = detail::fits<detail::matrix_transpose_rule, A>;
    static_assert(fits, "tx: matrix_transpose: x must have at least two axes");
    return detail::apply_if<fits>(detail::rule_fn<detail::matrix_transpose_rule>{}, x);
}
// x with two axes exchanged: swapaxes<0, 2>(x), or swapaxes(x, tx::axis<0>, tx::axis<2>).
template <int First, int Second, array_operand A> [[nodiscard]] constexpr auto swapaxes(A const& x) {
    constexpr bool fits = detail::fits<detail::swap_rule<First, Second>, A>;
    static_assert(fits, "tx: swapaxes: both axes must lie within the rank of x");
    return detail::apply_if<fits>(detail::rule_fn<detail::swap_rule<First, Second>>{}, x);
}
template <array_operand A, int First, int Second>
[[nodiscard]] constexpr auto swapaxes(A const& x, axes_t<First>, axes_t<Second>) {
    return swapaxes<First, Second>(x);
}
// x with axis From moved to place To, where the other axes keep their order; it takes several, too: moveaxis(x, tx::axis<0, 1>,
// tx::axis<-1, -2>).
template <array_operand A, int... From, int... To>
[[nodiscard]] constexpr auto moveaxis(A const& x, axes_t<From...>, axes_t<To...>) {
    constexpr bool fits = detail::fits<detail::move_rule<axes_t<From...>, axes_t<To...>>, A>;
    static_assert(fits, "tx: moveaxis: needs as many destinations as sources, each list of different axes within the rank of x");
    return detail::apply_if<fits>(detail::rule_fn<detail::move_rule<axes_t<From...>, axes_t<To...>>>{}, x);
}
template <int From, int To, array_operand A> [[nodiscard]] constexpr auto moveaxis(A const& x) {
    return moveaxis(x, axis<From>, axis<To>);
}

// x with new axes of extent 1, which have these places in the result.
template <int... Axes, array_operand A> [[nodiscard]] constexpr auto expand_dims(A const& x, axes_t<Axes...> = {}) {
    constexpr bool fits = detail::fits<detail::expand_rule<Axes...>, A>;
    static_assert(fits, "tx: expand_dims: axes must differ and lie within the new rank, at most 8");
    return detail::apply_if<fits>(detail::rule_fn<detail::expand_rule<Axes...>>{}, x);
}
// x without axes of extent 1: without the named ones, or without all whose extent is known to be 1.
template <array_operand A> [[nodiscard]] constexpr auto squeeze(A const& x) {
    return detail::apply(detail::rule_fn<detail::squeeze_all_rule>{}, x);
}
template <int First, int... Axes, array_operand A> [[nodiscard]] constexpr auto squeeze(A const& x, axes_t<First, Axes...> = {}) {
    constexpr bool fits = detail::fits<detail::squeeze_rule<First, Axes...>, A>;
    static_assert(fits, "tx: squeeze: the axes must lie within the rank of x and have extent 1");
    return detail::apply_if<fits>(detail::rule_fn<detail::squeeze_rule<First, Axes...>>{}, x);
}
// x, or a vector of one element, (1), where x is a scalar.
template <array_operand A> [[nodiscard]] constexpr auto atleast_1d(A const& x) {
    return detail::apply(detail::rule_fn<detail::atleast_rule<1>>{}, x);
}
// x, with axes of extent 1 in front until there are two.
template <array_operand A> [[nodiscard]] constexpr auto atleast_2d(A const& x) {
    return detail::apply(detail::rule_fn<detail::atleast_rule<2>>{}, x);
}

// x broadcast to that shape: axes of extent 1 are repeated; tx::dyn keeps the extent of x.
template <std::int64_t... Target, array_operand A> [[nodiscard]] constexpr auto broadcast_to(A const& x, shape<Target...> = {}) {
    constexpr bool fits = detail::fits<detail::broadcast_rule<Target...>, A>;
    static_assert(fits, "tx: broadcast_to: extents of x, aligned from the right, must be 1 or those of the new shape; both stand "
                        "in the note above");
    return detail::apply_if<fits>(detail::target_fn<detail::broadcast_rule<Target...>, Target...>{}, x);
}
// The operands, broadcast against each other, as a tuple.
template <class... A> requires operands<A...> [[nodiscard]] constexpr auto broadcast_arrays(A const&... x) {
    constexpr bool fit = detail::can_broadcast<A...>;
    if constexpr (!fit) detail::require_broadcast<typename detail::traits<A>::shape_type...>();
    return detail::apply_if<fit>(detail::broadcast_arrays_fn{}, x...);
}

// x reversed along the axes, or along all.
template <int... Axes, array_operand A> [[nodiscard]] constexpr auto flip(A const& x) {
    constexpr bool fits = detail::are_axes_of<A, Axes...>;
    static_assert(fits, "tx: flip: axes must differ and lie within the rank of x; negative ones count from the end");
    return detail::apply_if<fits>(detail::flip_fn < sizeof...(Axes) == 0, Axes... > {}, x);
}
template <int... Axes, array_operand A> [[nodiscard]] constexpr auto flip(A const& x, axes_t<Axes...>) {
    constexpr bool fits = detail::are_axes_of<A, Axes...>;
    static_assert(fits, "tx: flip: axes must differ and lie within the rank of x; negative ones count from the end");
    return detail::apply_if<fits>(detail::flip_fn<false, Axes...>{}, x);
}
// x rotated by Quarters times 90 degrees, from axis 0 to axis 1.
template <int Quarters = 1, array_operand A> [[nodiscard]] constexpr auto rot90(A const& x) {
    constexpr bool fits = detail::are_axes_of<A, 0, 1>;
    static_assert(fits, "tx: rot90: x must have at least two axes");
    return detail::apply_if<fits>(detail::rot90_fn<Quarters>{}, x);
}
// x repeated as a whole: tile<2, 3>(x) has it twice along the last axis but one, three times along the last.
template <int... Times, array_operand A> [[nodiscard]] constexpr auto tile(A const& x) {
    constexpr bool fits =
        detail::checked_shape<typename detail::tile_fn<Times...>::template result<typename detail::traits<A>::shape_type>>::rule
            .problem == nullptr;
    static_assert(fits, "tx: tile: takes at most 8 counts, none of them negative");
    return detail::apply_if<fits>(detail::tile_fn<Times...>{}, x);
}
// x with each element repeated Times times: along an axis, or without one as a vector in row-major order.
template <int Times, int... Axis, array_operand A> [[nodiscard]] constexpr auto repeat(A const& x, axes_t<Axis...> = {}) {
    constexpr bool fits =
        detail::checked_shape<
            typename detail::repeat_fn<Times, Axis...>::template result<typename detail::traits<A>::shape_type>>::rule.problem ==
        nullptr;
    static_assert(fits, "tx: repeat: takes a count that is not negative, and at most one axis, within the rank of x");
    return detail::apply_if<fits>(detail::repeat_fn<Times, Axis...>{}, x);
}

// The elements whose index along the second axis is Offset more than that along the first; they become the last axis.
template <int Offset = 0, array_operand A, int First = 0, int Second = 1>
[[nodiscard]] constexpr auto diagonal(A const& x, axes_t<First, Second> = {}) {
    constexpr bool fits = detail::fits<detail::diagonal_rule<Offset, First, Second>, A>;
    static_assert(fits, "tx: diagonal: needs two different axes within the rank of x");
    return detail::apply_if<fits>(detail::rule_fn<detail::diagonal_rule<Offset, First, Second>>{}, x);
}

// Windows of those sizes along the axes, or along all: (n, m) -> (n, m - 2, 3) for <3> and the last axis. Element (i..., j...) is
// x(i + j...). It makes no copy where the op that reads it can read x.
template <int... Sizes, array_operand A, int... Axes>
[[nodiscard]] constexpr auto sliding_window_view(A const& x, axes_t<Axes...> = {}) {
    using rule = detail::windows_rule<axes_t<Sizes...>, axes_t<Axes...>>;
    constexpr bool fits = detail::fits<rule, A>;
    static_assert(
        fits, "tx: sliding_window_view: needs a size for each axis, from 1 to the extent of x there, and axes within its rank");
    return detail::apply_if<fits>(detail::rule_fn<rule>{}, x);
}
template <int... Sizes, array_operand A, std::integral... I> requires(sizeof...(I) > 0)
[[nodiscard]] constexpr detail::failed sliding_window_view(A const&, I...) {
    static_assert(always_false<A>, "tx: sliding_window_view: sizes stand in <>, before the call: tx::sliding_window_view<3>(x)");
    return {};
}

} // namespace TRACEXPR_CALLS
} // namespace tx
